//go:build linux

package e2e

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// tap opens a followed output.
func (d *daemon) tap(t testing.TB, path string) *bufio.Reader {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	resp, err := d.open(ctx, request{method: "GET", path: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	if resp.StatusCode != 200 {
		body, _ := io.ReadAll(resp.Body)
		t.Fatalf("GET %s: %d %s", path, resp.StatusCode, body)
	}
	return bufio.NewReader(resp.Body)
}

func wantLine(t testing.TB, r *bufio.Reader, want string) {
	t.Helper()
	if got, err := r.ReadString('\n'); got != want {
		t.Fatalf("read %q (%v), want %q", got, err, want)
	}
}

func wantRest(t testing.TB, r *bufio.Reader, want string) {
	t.Helper()
	if got, err := io.ReadAll(r); string(got) != want || err != nil {
		t.Fatalf("read %q (%v), want %q", got, err, want)
	}
}

// gate is a named pipe a script reads from, so that a test says when it goes on.
type gate struct {
	path string
	f    *os.File
}

func newGate(t testing.TB) *gate {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return &gate{path, f}
}

// wait is the shell command that waits for the gate to be opened.
func (g *gate) wait() string { return "read x < " + g.path }

// open lets one waiting command pass.
func (g *gate) open(t testing.TB) {
	t.Helper()
	if _, err := g.f.WriteString("\n"); err != nil {
		t.Fatal(err)
	}
}

// follow=1 gives bytes while the program runs and ends with the run.
func TestFollowWhileRunning(t *testing.T) {
	t.Parallel()
	d := shared(t)
	g := newGate(t)
	script := lines("echo one; echo eins >&2", g.wait(), "echo two; printf 'half\\377'; echo zwei >&2", g.wait(), "echo ' whole'")
	id := d.sh(t, script).id()
	out, errs := d.tap(t, path(id, "/stdout?follow=1")), d.tap(t, path(id, "/stderr?follow=1"))
	wantLine(t, out, "one\n")
	wantLine(t, errs, "eins\n")
	d.get(t, path(id, "/stdout")).want(t, 409, "not_idle")
	late := d.tap(t, path(id, "/stdout?follow=1"))
	wantLine(t, late, "one\n")
	g.open(t)
	wantLine(t, out, "two\n")
	wantLine(t, errs, "zwei\n")
	half := make([]byte, 5)
	if _, err := io.ReadFull(out, half); err != nil || string(half) != "half\xff" {
		t.Fatalf("an unfinished line: %q %v", half, err)
	}
	g.open(t)
	wantRest(t, out, " whole\n")
	wantRest(t, errs, "")
	wantRest(t, late, "two\nhalf\xff whole\n")
	d.await(t, id, "idle").wantEnd(t, "success")
	wantRest(t, d.tap(t, path(id, "/stdout?follow=1")), "one\ntwo\nhalf\xff whole\n")
}

// A queued process can be followed before it starts.
func TestFollowWhileQueued(t *testing.T) {
	t.Parallel()
	d := start(t, "--concurrency", "fake=1")
	first := d.fake(t, "hang").id()
	d.await(t, first, "running")
	second := d.fake(t, "out ran").id()
	out := d.tap(t, path(second, "/stdout?follow=1"))
	third := d.fake(t, "out never").id()
	none := d.tap(t, path(third, "/stdout?follow=1"))
	d.kill(t, third, nil)
	wantRest(t, none, "")
	d.kill(t, first, nil)
	wantRest(t, out, "ran\n")
}

// The stream of a killed process ends.
func TestFollowEndsWithAKill(t *testing.T) {
	t.Parallel()
	d := shared(t)
	id := d.sh(t, "echo begun; exec "+endless()).id()
	out := d.tap(t, path(id, "/stdout?follow=1"))
	wantLine(t, out, "begun\n")
	d.kill(t, id, nil)
	wantRest(t, out, "")
	d.get(t, path(id, "/stdout?follow=maybe")).want(t, 400, "invalid_request").naming(t, "follow")
}

// Output that is kept in memory or not at all can be followed all the same.
func TestFollowWhatIsNotKept(t *testing.T) {
	t.Parallel()
	d := shared(t)
	for _, policy := range []string{"memory", "persist-gzip"} {
		g := newGate(t)
		id := d.sh(t, "echo one; "+g.wait()+"; echo two", m{"rawOutput": policy}).id()
		out := d.tap(t, path(id, "/stdout?follow=1"))
		wantLine(t, out, "one\n")
		g.open(t)
		wantRest(t, out, "two\n")
	}
}
