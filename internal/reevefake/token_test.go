//go:build unix

package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestTokenCommands(t *testing.T) {
	w := newWorld(t)
	s := w.serve()
	addr, err := os.ReadFile(w.data.AddressFile())
	if err != nil {
		t.Fatal(err)
	}
	host := "--host=" + strings.TrimSpace(string(addr))
	made := w.run("token", "create", "--scope", "read", "--name", "looker")
	secret := strings.TrimSpace(made.stdout)
	if made.code != 0 || !strings.HasPrefix(secret, "reeve_") {
		t.Fatalf("%+v", made)
	}
	if r := w.run("ps", host); r.code != 1 || !strings.Contains(r.stderr, "token") {
		t.Errorf("without a token: %+v", r)
	}
	if r := w.run("ps", host, "--token", secret); r.code != 0 {
		t.Errorf("with it: %+v", r)
	}
	if r := w.run("run", host, "--token", secret, "--", "true"); r.code == 0 {
		t.Errorf("read may run: %+v", r)
	}
	list := w.run("token", "list", "--json")
	var tok struct{ ID, Name string }
	if err := json.Unmarshal([]byte(list.stdout), &tok); err != nil || tok.Name != "looker" || strings.Contains(list.stdout, secret) {
		t.Fatalf("%+v", list)
	}
	if r := w.run("token", "rm", "nope"); r.code != 1 || !strings.Contains(r.stderr, "reeve token list") {
		t.Errorf("%+v", r)
	}
	if r := w.run("token", "rm", tok.ID); r.code != 0 {
		t.Errorf("%+v", r)
	}
	if r := w.run("ps", host); r.code != 0 {
		t.Errorf("when none is left: %+v", r)
	}
	for args, want := range map[string]string{
		"token create": "scope", "token create --scope root": `"root" is not one of read, run, approve, admin`,
		"token create --scope read --expires yesterday": "--expires", "token rm": "at least 1",
	} {
		if r := w.run(strings.Fields(args)...); r.code == 0 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %+v", args, r)
		}
	}
	if strings.Contains(s.logged(), secret) {
		t.Error("the secret was logged")
	}
}
