//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/reeverun/reeve/process"
)

const petsDocument = `{"openapi":"3.1.0","info":{"title":"Pets","version":"1"},"paths":{"/pets/{id}":{
"get":{"operationId":"get_pet","summary":"Gets a pet.","parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"integer"}}],"responses":{"200":{"description":"it"}}},
"delete":{"operationId":"delete_pet","summary":"Deletes a pet.","parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"integer"}}],"responses":{"200":{"description":"gone"}}}}}}`

// petShop serves an API on loopback and returns a tool file for it.
func petShop(t *testing.T) (file string) {
	t.Helper()
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"did":%q}`, r.Method+" "+r.URL.Path)
	}))
	t.Cleanup(shop.Close)
	dir := t.TempDir()
	file = filepath.Join(dir, "tools.yaml")
	text := "services:\n  pets: {adapter: openapi, document: pets.json, url: \"" + shop.URL + "\"}\npolicy:\n  - ask: pets/delete_*\n"
	for name, text := range map[string]string{file: text, filepath.Join(dir, "pets.json"): petsDocument} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return file
}

func TestToolCommands(t *testing.T) {
	w := newWorld(t)
	s := w.serve("--tools", petShop(t))
	s.eventually("the shop is open", func() bool { return strings.Contains(w.run("tools", "services", "--json").stdout, `"tools":2`) })
	services := w.run("tools", "services")
	if services.code != 0 || !strings.Contains(services.stdout, "pets     openapi  ready") || !strings.Contains(services.stdout, "reeve    builtin  ready") {
		t.Errorf("%+v", services)
	}
	if r := w.run("tools"); r.code != 0 || !strings.Contains(r.stdout, "pets/delete_pet  ask") || !strings.Contains(r.stdout, "pets/get_pet     allow") {
		t.Errorf("%+v", r)
	}
	if r := w.run("tools", "deletes", "pet"); r.code != 0 || !strings.Contains(r.stdout, "pets/delete_pet") || strings.Contains(r.stdout, "get_pet") {
		t.Errorf("%+v", r)
	}
	if r := w.run("tools", "--service", "reeve", "--json"); r.code != 0 || !json.Valid([]byte(r.stdout)) || strings.Count(r.stdout, "\n") != 1 {
		t.Errorf("%+v", r)
	}
	show := w.run("tools", "show", "pets/delete_pet")
	if show.code != 0 || !strings.Contains(show.stdout, "a person decides") || !strings.Contains(show.stdout, "Deletes a pet.") || !strings.Contains(show.stdout, "Promise<") {
		t.Errorf("%+v", show)
	}
	var one struct{ Params map[string]any }
	if r := w.run("tools", "show", "pets/get_pet", "--json"); json.Unmarshal([]byte(r.stdout), &one) != nil || one.Params["type"] != "object" {
		t.Errorf("%+v", r)
	}
	for args, code := range map[string]int{"tools show pets/no": 1, "tools show pets": 2, "tools show": 2, "tools services x": 2} {
		if r := w.run(strings.Fields(args)...); r.code != code || r.stderr == "" {
			t.Errorf("%s: %+v", args, r)
		}
	}
}

// A person who runs a program sees what it waits for, and how to decide.
func TestApprovalCommands(t *testing.T) {
	w := newWorld(t)
	s := w.serve("--tools", petShop(t))
	var out, errs locked
	exec := w.command("exec", "--memory", "256MiB", "--cpu", "10s", "--max-output", "1MiB", "--no-jit", "--tool", "pets/*", "-e", `call pets delete_pet {"id":7}`)
	exec.Stdout, exec.Stderr = &out, &errs
	if err := exec.Start(); err != nil {
		t.Fatal(err)
	}
	s.eventually("it says what it waits for", func() bool {
		return strings.Contains(errs.String(), "reeve: waiting for approval 1: pets/delete_pet (reeve approvals approve 1)\n")
	})
	rec := w.record(1)
	want := process.Options{Timeout: rec.Options.Timeout, NoJIT: true, Tools: []string{"pets/*"}, Limits: process.Limits{MemoryBytes: 256 << 20, CPUMS: 10_000, OutputBytes: 1 << 20}}
	if got, want := fmt.Sprintf("%+v", rec.Options), fmt.Sprintf("%+v", want); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if r := w.run("approvals"); r.code != 0 || !strings.Contains(r.stdout, "pets/delete_pet") || !strings.Contains(r.stdout, `{"id":7}`) {
		t.Errorf("%+v", r)
	}
	if r := w.run("approvals", "show", "1"); r.code != 0 || !strings.Contains(r.stdout, "    \"id\": 7\n") {
		t.Errorf("%+v", r)
	}
	if r := w.run("show", "1"); r.code != 0 || !strings.Contains(r.stdout, "waiting for  approval 1 pets/delete_pet") {
		t.Errorf("%+v", r)
	}
	refused := w.run("approvals", "approve", "1")
	if refused.code != 1 || !strings.Contains(refused.stderr, "reeve token create --scope approve") || !strings.Contains(refused.stderr, "--token") {
		t.Errorf("%+v", refused)
	}
	run := strings.TrimSpace(w.run("token", "create", "--scope", "run").stdout)
	if r := w.run("approvals", "approve", "1", "2", "--token", run); r.code != 1 || !strings.Contains(r.stderr, `"approve"`) || strings.Contains(r.stderr, "approval 2") {
		t.Errorf("%+v", r)
	}
	boss := "--token=" + strings.TrimSpace(w.run("token", "create", "--scope", "approve", "--name", "ada").stdout)
	if r := w.run("approvals", "approve", "1", "99", "--reason", "as agreed", boss); r.code != 1 || r.stdout != "approved 1: pets/delete_pet\n" || !strings.Contains(r.stderr, "approval 99: ") {
		t.Errorf("%+v", r)
	}
	if err := exec.Wait(); err != nil || out.String() != "{\"did\":\"DELETE /pets/7\"}\n" || strings.Count(errs.String(), "waiting for") != 1 {
		t.Errorf("%v %q %q", err, out.String(), errs.String())
	}
	if r := w.run("approvals", "deny", "1", boss); r.code != 1 || !strings.Contains(r.stderr, "by ada") {
		t.Errorf("%+v", r)
	}
	if r := w.run("approvals"); r.code != 0 || r.stdout != "" {
		t.Errorf("%+v", r)
	}
	var a process.Approval
	if r := w.run("approvals", "-a", "--json"); json.Unmarshal([]byte(r.stdout), &a) != nil || a.State != process.ApprovalApproved || *a.Reason != "as agreed" {
		t.Errorf("%+v", r)
	}
	if r := w.run("approvals", "--process", "1", "--state", "approved"); !strings.Contains(r.stdout, "approved") {
		t.Errorf("%+v", r)
	}
	for args, code := range map[string]int{"approvals approve": 2, "approvals approve x": 2, "approvals show 0": 2, "approvals show 99": 1, "approvals --state odd": 2,
		"approvals -n -1": 2, "approvals x": 2, "exec --memory big -e 1": 2, "exec --cpu 0s -e 1": 2, "exec --tool nonsense -e 1": 2, "exec --environment command --no-jit -e true": 2} {
		if r := w.run(strings.Fields(args)...); r.code != code || r.stderr == "" {
			t.Errorf("%s: %+v", args, r)
		}
	}
	if strings.Contains(s.logged(), run) {
		t.Error("a secret was logged")
	}
}

// A tool file that is wrong is said to who starts the daemon, also in the
// background.
func TestAWrongToolFileIsToldByDetach(t *testing.T) {
	w := newWorld(t)
	file := filepath.Join(t.TempDir(), "tools.yaml")
	if err := os.WriteFile(file, []byte("services:\n  a: {adapter: carrier-pigeon}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"serve", "--listen=none", "--tools", file}, {"serve", "--detach", "--listen=none", "--tools", file}} {
		if r := w.run(args...); r.code != 1 || !strings.Contains(r.stderr, "tools.yaml, line 2") {
			t.Errorf("%v: %+v", args, r)
		}
	}
}

// locked is a buffer that is written while it is read.
type locked struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
