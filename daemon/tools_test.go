package daemon

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/settings"
	"github.com/reeverun/reeve/token"
)

const petsDocument = `{"openapi":"3.1.0","info":{"title":"Pets","version":"1"},"paths":{"/pets/{id}":{"delete":{"operationId":"delete_pet",
"parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"integer"}}],"responses":{"200":{"description":"gone"}}}}}}`

// petServer is an API that needs a credential.
type petServer struct {
	*httptest.Server
	deleted atomic.Int64
}

const petSecret = "s3cr3t-of-the-pet-shop"

func newPetServer(t *testing.T) *petServer {
	p := &petServer{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "DELETE" || r.Header.Get("Authorization") != "Bearer "+petSecret {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		p.deleted.Add(1)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"gone":%q}`, strings.TrimPrefix(r.URL.Path, "/pets/"))
	}))
	t.Cleanup(p.Close)
	t.Setenv("PETS_TOKEN", petSecret)
	return p
}

// toolFile writes a tool file with the pet shop at a URL.
func toolFile(t *testing.T, url, policy string) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "tools.yaml")
	text := "services:\n  pets: {adapter: openapi, document: pets.json, url: \"" + url + "\", headers: {Authorization: \"Bearer ${PETS_TOKEN}\"}}\npolicy:\n" + policy
	for name, text := range map[string]string{file: text, filepath.Join(dir, "pets.json"): petsDocument} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return file
}

func (f *fixture) idle(id process.ID) process.Record {
	f.t.Helper()
	var rec process.Record
	eventually(f.t, "it has ended", func() bool { rec = f.record(id); return rec.State == process.Idle })
	return rec
}

// pending waits for an approval of a process.
func (f *fixture) pending(id process.ID) process.Approval {
	f.t.Helper()
	var page struct{ Approvals []process.Approval }
	eventually(f.t, "it asks", func() bool {
		_, b := f.call("GET", fmt.Sprintf("/approvals?state=pending&process=%d", id), "")
		return json.Unmarshal(b, &page) == nil && len(page.Approvals) == 1
	})
	return page.Approvals[0]
}

// approve decides over the socket, with a token.
func (f *fixture) approve(id process.ApprovalID) (int, string) {
	f.t.Helper()
	secret, _, err := token.Open(settings.DataDir(f.s.Data).Tokens()).Create("ada", []token.Scope{token.ScopeApprove}, 0)
	if err != nil {
		f.t.Fatal(err)
	}
	req, err := http.NewRequest("POST", "http://localhost/approvals/"+id.String()+"/approve", nil)
	if err != nil {
		f.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+secret)
	resp, err := f.overSocket().Do(req)
	if err != nil {
		f.t.Fatal(err)
	}
	defer resp.Body.Close()
	var a process.Approval
	if err := json.NewDecoder(resp.Body).Decode(&a); err != nil {
		f.t.Fatal(err)
	}
	return resp.StatusCode, string(a.State)
}

// From the operator's file to a person's word: the program calls, somebody
// approves, the API is called with a credential that nobody else ever sees.
func TestAToolFileAndAnApproval(t *testing.T) {
	pets := newPetServer(t)
	f := prepare(t, "tools="+toolFile(t, pets.URL, "  - ask: pets/delete_*\n"), "log-level=debug").start()
	rec := f.create(`{"environment":"fake","code":"call pets delete_pet {\"id\":7}"}`)
	a := f.pending(rec.ID)
	if status, b := f.call("POST", "/approvals/"+a.ID.String()+"/approve", ""); status != 401 || pets.deleted.Load() != 0 {
		t.Fatalf("%d %s", status, b)
	}
	if status, state := f.approve(a.ID); status != 200 || state != "approved" {
		t.Fatalf("%d %s", status, state)
	}
	rec = f.idle(rec.ID)
	if *rec.Stdout != "{\"gone\":\"7\"}\n" || pets.deleted.Load() != 1 {
		t.Errorf("%q", *rec.Stdout)
	}
	_, events := f.call("GET", fmt.Sprintf("/processes/%d/events", rec.ID), "")
	for _, kind := range []string{"tool_called", "approval_requested", "approval_decided", "tool_returned"} {
		if !strings.Contains(string(events), `"kind":"`+kind+`"`) {
			t.Errorf("no %s in %s", kind, events)
		}
	}
	_, tools := f.call("GET", "/tools", "")
	_, services := f.call("GET", "/services", "")
	_, record := f.call("GET", fmt.Sprintf("/processes/%d", rec.ID), "")
	for where, text := range map[string]string{"events": string(events), "tools": string(tools), "services": string(services), "record": string(record), "log": f.log.String()} {
		if strings.Contains(text, petSecret) {
			t.Errorf("the credential is in the %s: %s", where, text)
		}
	}
	f.stop()
}

func TestAWrongToolFileStopsTheStart(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		"services: {a: {adapter: nope}}\n":                                       "line 1",
		"services:\n  a: {adapter: mcp, command: [x], colour: red}\n":            "colour",
		"services:\n  a: {adapter: mcp, url: \"http://x/${REEVE_NO_SUCH}\"}\n":   "REEVE_NO_SUCH",
		"policy:\n  - maybe: \"*\"\n":                                            "maybe",
		"services: {reeve: {adapter: mcp, command: [x]}}\n":                      "reserved",
		"services: {a: {adapter: mcp, command: [x]}}\npolicy: [{deny: \"a b\"}]": "line 2",
	} {
		file := filepath.Join(dir, "tools.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := prepare(t, "tools="+file).fails(); !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := prepare(t, "tools="+filepath.Join(dir, "missing.yaml")).fails(); !strings.Contains(err.Error(), "missing.yaml") {
		t.Error(err)
	}
}

// What cannot be reached is said, and keeps nobody from serving or stopping.
func TestAnUnreachableServiceIsNotFatal(t *testing.T) {
	t.Setenv("PETS_TOKEN", petSecret)
	file := filepath.Join(t.TempDir(), "tools.yaml")
	text := "services:\n  gone: {adapter: mcp, url: \"http://127.0.0.1:1/mcp\"}\n  broken: {adapter: mcp, command: [/no/such/program]}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f := prepare(t, "tools="+file).start()
	var all struct {
		Services []struct {
			Name, State string
			Error       *string
		}
	}
	_, b := f.call("GET", "/services", "")
	if err := json.Unmarshal(b, &all); err != nil || len(all.Services) != 3 {
		t.Fatalf("%s %v", b, err)
	}
	for _, s := range all.Services {
		if s.Name != "reeve" && (s.State != "unavailable" || s.Error == nil || *s.Error == "") {
			t.Errorf("%s", b)
		}
	}
	rec := f.idle(f.create(`{"environment":"fake","code":"call gone tool"}`).ID)
	if !strings.HasPrefix(*rec.Stdout, "unavailable: ") {
		t.Errorf("%q", *rec.Stdout)
	}
	f.stop()
}

// Without a file there is what is built in.
func TestNoToolFile(t *testing.T) {
	f := prepare(t).start()
	rec := f.idle(f.create(`{"environment":"fake","code":"call reeve search {}\ncall pets list"}`).ID)
	if !strings.Contains(*rec.Stdout, `"name":"search"`) || !strings.Contains(*rec.Stdout, "not_found: ") {
		t.Errorf("%q", *rec.Stdout)
	}
	f.stop()
}

// A daemon that stops takes those along who wait for a person, at once, and the
// next one knows that nobody is left to be answered.
func TestStopWhileSomebodyIsAsked(t *testing.T) {
	pets := newPetServer(t)
	f := prepare(t, "tools="+toolFile(t, pets.URL, "  - ask: \"*\"\n")).start()
	rec := f.create(`{"environment":"fake","code":"call pets delete_pet {\"id\":7}"}`)
	a := f.pending(rec.ID)
	f.stop()
	again := prepare(t, "data="+f.s.Data).start()
	if rec := again.record(rec.ID); rec.ExitState == nil || *rec.ExitState != process.ExitCanceled {
		t.Errorf("%+v", rec.ExitState)
	}
	_, b := again.call("GET", "/approvals/"+a.ID.String(), "")
	if !strings.Contains(string(b), `"state":"canceled"`) {
		t.Errorf("%s", b)
	}
	if status, _ := again.approve(a.ID); status != 409 || pets.deleted.Load() != 0 {
		t.Errorf("%d", status)
	}
	again.stop()
}

// What an earlier daemon left queued can call tools as soon as it runs.
func TestQueuedProgramsHaveTools(t *testing.T) {
	pets := newPetServer(t)
	file := toolFile(t, pets.URL, "  - allow: \"*\"\n")
	f := prepare(t, "tools="+file, "concurrency=fake=1").start()
	running := f.create(`{"environment":"fake","code":"hang"}`)
	eventually(t, "it runs", func() bool { return f.record(running.ID).State == process.Running })
	queued := f.create(`{"environment":"fake","code":"call pets delete_pet {\"id\":9}"}`)
	f.stop()
	again := prepare(t, "tools="+file, "data="+f.s.Data).start()
	if rec := again.idle(queued.ID); *rec.Stdout != "{\"gone\":\"9\"}\n" {
		t.Errorf("%q", *rec.Stdout)
	}
	again.stop()
}

// Environments are made with what programs need, and may fail to be made.
func TestParts(t *testing.T) {
	f := prepare(t, "environment=fake")
	made := f.w.Environments
	var got Parts
	f.w.Environments = func(p Parts) (map[string]env.Environment, error) { got = p; return made(p) }
	f.start()
	if got.Tools == nil || got.Logger == nil || got.Settings.Data != f.s.Data {
		t.Errorf("%+v", got)
	}
	spec, err := got.Spec(json.RawMessage(`{"code":"x"}`))
	if err != nil || spec.Environment != "fake" {
		t.Errorf("%+v, %v", spec, err)
	}
	f.stop()
	f = prepare(t)
	f.w.Environments = func(Parts) (map[string]env.Environment, error) { return nil, os.ErrPermission }
	if err := f.fails(); err == nil || !strings.Contains(err.Error(), os.ErrPermission.Error()) {
		t.Error(err)
	}
}
