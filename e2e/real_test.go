//go:build linux

package e2e

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// realBinary is the real program, built once, when a test needs it, with the race
// detector. Where it was built already, as CI does, it is the shipped one: a
// daemon starts in half the time without the detector, of which there are many,
// and the packages that only the real one has are tested with it by themselves.
var realBinary = sync.OnceValues(func() (string, error) {
	if os.Getenv("REEVE_BIN") != "" {
		return fastBinary()
	}
	return build(suite.dir, "reeve", "../cmd/reeve", "REEVE_E2E_REAL_BINARY")
})

// startReal runs the shipped program as a daemon for one test.
func startReal(t testing.TB, flags ...string) *daemon {
	t.Helper()
	return startRealIn(t, newBase(t), nil, flags...)
}

// startRealIn is startReal with the folders of an earlier daemon and variables
// of its environment.
func startRealIn(t testing.TB, base string, variables []string, flags ...string) *daemon {
	t.Helper()
	return startProgram(t, realBinary, base, variables, flags...)
}

// startProgram runs one of the suite's programs as a daemon for one test.
func startProgram(t testing.TB, program func() (string, error), base string, variables []string, flags ...string) *daemon {
	t.Helper()
	binary, err := program()
	if err != nil {
		t.Fatal(err)
	}
	d, err := launch(binary, base, variables, flags...)
	if err != nil {
		t.Fatal(err)
	}
	d.endWith(t)
	return d
}

// sharedReal is the shipped program for all tests that need no settings.
func sharedReal(t testing.TB) *daemon {
	t.Helper()
	suite.realOnce.Do(func() {
		var binary string
		if binary, suite.realErr = realBinary(); suite.realErr == nil {
			suite.realShared, suite.realErr = launch(binary, filepath.Join(suite.dir, "real"), nil)
		}
	})
	if suite.realErr != nil {
		t.Fatal(suite.realErr)
	}
	return suite.realShared
}

// ts makes a process of a program, in the environment that is the default.
func (d *daemon) ts(t testing.TB, code string, more ...m) m {
	t.Helper()
	return d.create(t, with(m{"code": code}, more...))
}

// wantStdout checks that a program succeeded and wrote this.
func (d *daemon) wantStdout(t testing.TB, code, want string, more ...m) m {
	t.Helper()
	rec := d.ts(t, code, append([]m{block}, more...)...)
	if got := string(d.get(t, path(rec.id(), "/stdout")).want(t, 200).body); rec.exitState() != "success" || got != want {
		t.Errorf("%.300s\nis %s (%v), stderr %.600s\nstdout %.600q\nwant   %.600q", code, rec.exitState(), rec["error"], rec.str("stderr"), got, want)
	}
	return rec
}

// ran is how a command of the command line went.
type ran struct {
	stdout, stderr string
	code           int
}

// reeve runs the command line against the daemon, with nothing checked.
func (d *daemon) reeve(t testing.TB, stdin string, args ...string) ran {
	t.Helper()
	cmd := d.client(args...)
	cmd.Stdin = strings.NewReader(stdin)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("reeve %v: %v", args, err)
	}
	return ran{out.String(), said.String(), cmd.ProcessState.ExitCode()}
}

func (d *daemon) client(args ...string) *exec.Cmd {
	cmd := exec.Command(d.binary, args...)
	cmd.Env = append([]string{"REEVE_DATA=" + d.data}, d.cmd.Env...)
	if d.token != "" {
		cmd.Env = append(cmd.Env, "REEVE_TOKEN="+d.token)
	}
	cmd.Dir = d.base
	return cmd
}

func writeFile(t testing.TB, dir, name, content string) (file string) {
	t.Helper()
	file = filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// startedPID waits for a run to start and returns the pid it tells.
func (d *daemon) startedPID(t testing.TB, id int64) (pid int) {
	t.Helper()
	waitFor(t, "process_started", func() bool {
		for _, ev := range d.events(t, id) {
			if ev.str("kind") == "process_started" {
				pid = int(ev.num("pid"))
			}
		}
		return pid != 0
	})
	return pid
}

// onV8 reports whether programs run on V8, not on the fallback of a build
// without cgo, whose words for what goes wrong are others.
func (d *daemon) onV8(t testing.TB) bool {
	t.Helper()
	return strings.Contains(mustJSON(t, d.get(t, "/version").want(t, 200).json(t)["engines"]), "typescript: v8 ")
}

// begun is what a program prints to say that it runs.
const begun = "console.log('begun');"

// runs starts a program and waits until it has printed begun: where it says so,
// else first of all.
func (d *daemon) runs(t testing.TB, code string, more ...m) (id int64) {
	t.Helper()
	if !strings.Contains(code, begun) {
		code = begun + code
	}
	id = d.ts(t, code, more...).id()
	wantLine(t, d.tap(t, path(id, "/stdout?follow=1")), "begun\n")
	return id
}
