package token

import (
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// A daemon sees what another program did to the file, without being told.
func TestChangesByOthersAreSeen(t *testing.T) {
	daemon := open(t)
	if any, _ := daemon.Any(); any {
		t.Fatal("not empty")
	}
	cli := Open(daemon.path)
	secret, made := create(t, cli, 0, ScopeRead)
	if !verify(t, daemon, secret) {
		t.Error("a new token is not known")
	}
	for range 100 { // same size, within one tick of a coarse clock
		next, tok := create(t, cli, 0, ScopeRead)
		if !verify(t, daemon, next) {
			t.Fatal("a new token is not known")
		}
		if err := cli.Remove(tok.ID); err != nil {
			t.Fatal(err)
		}
		if verify(t, daemon, next) {
			t.Fatal("a removed token is known")
		}
	}
	if err := cli.Remove(made.ID); err != nil {
		t.Fatal(err)
	}
	if verify(t, daemon, secret) {
		t.Error("a removed token is known")
	}
}

func TestProgramsAtTheSameTimeLoseNothing(t *testing.T) {
	f := open(t)
	const programs = 8
	var all sync.WaitGroup
	for range programs {
		all.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), createEnv+"="+f.path)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	list, err := f.List()
	if err != nil || len(list) != 5*programs {
		t.Errorf("%d tokens, %v", len(list), err)
	}
	seen := map[string]bool{}
	for _, tok := range list {
		seen[tok.ID] = true
	}
	if len(seen) != len(list) {
		t.Error("ids are not unique")
	}
}

// A file that cannot be trusted must not turn into "there are no tokens".
func TestDamagedFileIsAnError(t *testing.T) {
	f := open(t)
	secret, _ := create(t, f, 0, ScopeRead)
	if err := os.Chmod(f.path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Any(); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Error(err)
	}
	if err := os.WriteFile(f.path, []byte(`{"tokens":[`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(f.path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := f.Verify(secret); ok || err == nil {
		t.Error(ok, err)
	}
	if _, err := f.Any(); err == nil {
		t.Error("a damaged file is no error")
	}
	if _, _, err := f.Create("x", []Scope{ScopeRead}, 0); err == nil {
		t.Error("a damaged file was overwritten")
	}
}
