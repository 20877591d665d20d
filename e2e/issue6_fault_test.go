//go:build linux

package e2e

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite"
)

// onSmallDisk makes the folders of a daemon whose data directory is a disk of
// its own.
func onSmallDisk(t *testing.T, size string) (base, data string) {
	t.Helper()
	base = newBase(t)
	data = filepath.Join(base, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	sweepDisks()
	if err := syscall.Mount(diskName+strconv.Itoa(os.Getpid()), data, "tmpfs", 0, "mode=0700,size="+size); err != nil {
		t.Skipf("no disk can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(data, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return base, data
}

// diskName is what the disks of these tests are called, before the test's pid.
const diskName = "reeve-e2e-disk-"

// sweepDisks unmounts those of tests that were killed.
func sweepDisks() {
	mounts, _ := os.ReadFile("/proc/self/mounts")
	for line := range strings.Lines(string(mounts)) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		pid, ok := strings.CutPrefix(f[0], diskName)
		if _, err := os.Stat("/proc/" + pid); ok && errors.Is(err, os.ErrNotExist) {
			_ = syscall.Unmount(f[1], syscall.MNT_DETACH)
		}
	}
}

// fill leaves no room on a disk, until the returned function makes some.
func fill(t *testing.T, dir string) (free func()) {
	t.Helper()
	path := filepath.Join(dir, "ballast")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size >= 512; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	free = func() { _ = os.Remove(path) }
	t.Cleanup(free) // what is cleaned up after it has to be recorded
	return free
}

// refusedCreate checks that a create is refused as it should be in an outage.
func refusedCreate(t *testing.T, d *daemon, because string) {
	t.Helper()
	a := d.post(t, "/processes", m{"environment": "fake", "code": ""}).want(t, 503, "environment_unavailable")
	if a.header.Get("Retry-After") == "" || !strings.Contains(string(a.body), because) {
		t.Errorf("%v, Retry-After %q: want it to say %q", a, a.header.Get("Retry-After"), because)
	}
}

// A full disk: creates are refused and not acknowledged, what there is can be
// read, what runs goes on, its end is stored when there is room, and nobody has
// to restart anything.
func TestIssue6FaultDiskFull(t *testing.T) {
	t.Parallel()
	base, data := onSmallDisk(t, "6m")
	d := startIn(t, base, "--concurrency", "command=20")
	done := d.sh(t, "echo before", block).wantEnd(t, "success").id()
	gate := filepath.Join(base, "gate")
	id := d.sh(t, "echo first; until [ -e "+gate+" ]; do sleep 0.02; done; exit 7").id()
	wantLine(t, d.tap(t, path(id, "/stdout?follow=1")), "first\n")
	writer := d.sh(t, "until [ -e "+gate+" ]; do sleep 0.02; done; for i in 1 2 3 4 5 6 7 8; do echo $i 0123456789012345678901234567890123456789012345678901234567890123456789 || echo failed >&2; done 2>/dev/null; exit 0").id()
	d.await(t, writer, "running")

	free := fill(t, data)
	refusedCreate(t, d, "disk is full")
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "/ready to say so", func() bool { return d.get(t, "/ready").status == 503 })
	d.get(t, "/ready").want(t, 503, "environment_unavailable")
	d.get(t, "/health").want(t, 200)
	refusedCreate(t, d, "disk is full")
	d.post(t, path(done, "/signals/run"), m{"force": true}).want(t, 503, "environment_unavailable")
	d.delete(t, done).want(t, 503, "environment_unavailable")
	if got := d.get(t, path(done, "/stdout")).want(t, 200).body; string(got) != "before\n" {
		t.Errorf("stdout %q", got)
	}
	d.get(t, "/processes").want(t, 200)
	if rec := d.record(t, id); rec.state() == "idle" {
		t.Errorf("an end that is not stored is shown: %v", rec)
	}
	if n := strings.Count(d.log.String(), "records cannot be written"); n != 1 {
		t.Errorf("%d lines say that records cannot be written", n)
	}

	free()
	if rec := d.await(t, id, "idle").wantEnd(t, "failed"); rec.obj("exit").num("code") != 7 {
		t.Errorf("exit %v", rec["exit"])
	}
	d.await(t, writer, "idle")
	wantNumbered(t, d.events(t, id))
	wantNumbered(t, d.events(t, writer))
	waitFor(t, "/ready", func() bool { return d.get(t, "/ready").status == 200 })
	d.sh(t, "echo after", block).wantEnd(t, "success")
	if !strings.Contains(d.log.String(), "records can be written again") {
		t.Error("nobody was told that it is over")
	}
}

// wantNumbered checks that events have their numbers, without gaps but for what
// is said to be elided, and end with finalized.
func wantNumbered(t *testing.T, events []m) {
	t.Helper()
	next := int64(1)
	for _, ev := range events {
		if ev.str("kind") == "output_elided" {
			next = ev.num("toSeq")
		}
		if ev.num("seq") != next {
			t.Errorf("event %d, want %d", ev.num("seq"), next)
		}
		next = ev.num("seq") + 1
	}
	if n := len(events); n == 0 || events[n-1].str("kind") != "finalized" {
		t.Errorf("it does not end with finalized: %v", events)
	}
}

// Another program holds the database: who creates waits a while and is told;
// ends are stored when the lock goes.
func TestIssue6FaultDatabaseLocked(t *testing.T) {
	t.Parallel()
	d := start(t)
	gate := filepath.Join(d.base, "gate")
	id := d.sh(t, "echo first; until [ -e "+gate+" ]; do sleep 0.02; done; exit 3").id()
	wantLine(t, d.tap(t, path(id, "/stdout?follow=1")), "first\n")
	db, err := sql.Open("sqlite", filepath.Join(d.data, "reeve.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	refusedCreate(t, d, "locked by another program")
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
	d.get(t, "/ready").want(t, 503, "environment_unavailable")
	d.get(t, path(id, "")).want(t, 200)
	if _, err := db.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if rec := d.await(t, id, "idle"); rec.obj("exit").num("code") != 3 {
		t.Errorf("exit %v", rec["exit"])
	}
	waitFor(t, "/ready", func() bool { return d.get(t, "/ready").status == 200 })
	d.fake(t, "out after", block).wantEnd(t, "success")
}

// A damaged database keeps the daemon from starting and is not touched, until
// somebody asks for what can be saved; then it is kept.
func TestIssue6FaultDatabaseDamaged(t *testing.T) {
	t.Parallel()
	base := newBase(t)
	d := startIn(t, base)
	var last int64
	for range 30 {
		last = d.sh(t, "echo kept", m{"autorun": false}).id()
	}
	last = max(last, d.sh(t, "echo kept", block).id())
	for _, problem := range d.end() {
		t.Error(problem)
	}
	file := filepath.Join(d.data, "reeve.db")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(b) / 2; i < len(b)/2+20_000 && i < len(b); i++ {
		b[i] = byte(i * 13)
	}
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(suite.binary, "serve", "--listen", "none", "--data", d.data)
	cmd.Env = d.cmd.Env
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Fatalf("%v:\n%s", err, out)
	}
	for _, want := range []string{file, "damaged", "restore a backup", "reeve serve --recover"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	if now, _ := os.ReadFile(file); !bytes.Equal(now, b) {
		t.Error("the file was changed")
	}
	d = startIn(t, base, "--recover")
	kept, _ := filepath.Glob(file + ".corrupt-*")
	if len(kept) != 1 {
		t.Fatalf("kept are %v", kept)
	}
	if was, _ := os.ReadFile(kept[0]); !bytes.Equal(was, b) {
		t.Error("what is kept is not what was there")
	}
	d.get(t, "/processes").want(t, 200)
	if rec := d.sh(t, "echo new", block).wantEnd(t, "success"); rec.id() <= last {
		t.Errorf("id %d after %d", rec.id(), last)
	}
}

// Somebody removes the folder of the logs: what runs goes on, its output is
// shown as it comes and is not kept; what comes next has a folder.
func TestIssue6FaultLogFolderRemoved(t *testing.T) {
	t.Parallel()
	base := newBase(t)
	d := startIn(t, base, "--concurrency", "command=20")
	done := d.sh(t, "echo gone", block).id()
	gate := filepath.Join(base, "gate")
	for _, raw := range []string{"persist", "persist-gzip"} {
		gate, end := gate+raw, gate+raw+"-end"
		id := d.sh(t, "echo first; until [ -e "+gate+" ]; do sleep 0.02; done; echo second; until [ -e "+end+" ]; do sleep 0.02; done; exit 5", m{"rawOutput": raw}).id()
		tap := d.tap(t, path(id, "/stdout?follow=1"))
		wantLine(t, tap, "first\n")
		s := d.follow(t, path(id, "/events"), nil)
		if err := os.RemoveAll(filepath.Join(d.data, "logs")); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(gate, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		wantLine(t, tap, "second\n")
		if err := os.WriteFile(end, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if rec := d.await(t, id, "idle").wantEnd(t, "failed"); rec.obj("exit").num("code") != 5 || rec.num("stdoutBytes") != 13 {
			t.Errorf("%s: %v", raw, rec)
		}
		seen := ""
		for {
			ev, err := s.next()
			if errors.Is(err, io.EOF) || err != nil {
				break
			}
			if ev.str("kind") == "output_appended" && ev["partial"] != true {
				seen += ev.str("line") + ";"
			}
		}
		if seen != "first;second;" {
			t.Errorf("%s: a follower saw %q", raw, seen)
		}
		d.get(t, path(id, "/stdout")).want(t, 410, "not_kept")
		wantNumbered(t, d.events(t, id))
	}
	d.get(t, path(done, "/stdout")).want(t, 410, "not_kept")
	if rec := d.sh(t, "echo after", block).wantEnd(t, "success"); rec.str("stdout") != "after\n" {
		t.Errorf("%v", rec)
	}
	for _, problem := range d.end() {
		t.Error(problem)
	}
	if err := os.RemoveAll(filepath.Join(d.data, "logs")); err != nil {
		t.Fatal(err)
	}
	d = startIn(t, base)
	d.get(t, path(done, "/stdout")).want(t, 410, "not_kept")
	wantNumbered(t, d.events(t, done))
	if rec := d.sh(t, "echo again", block).wantEnd(t, "success"); rec.str("stdout") != "again\n" {
		t.Errorf("%v", rec)
	}
}

// Out of descriptors: what needs one fails with the system's own sentence, the
// daemon goes on answering, does not spin, and is well again by itself.
func TestIssue6FaultNoDescriptors(t *testing.T) {
	t.Parallel()
	d := start(t, "--concurrency", "command=200")
	d.get(t, "/processes").want(t, 200)
	running := d.sh(t, "echo first; sleep 60 & wait").id()
	wantLine(t, d.tap(t, path(running, "/stdout?follow=1")), "first\n")
	pid := d.cmd.Process.Pid
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	was := limitFiles(t, pid, uint64(len(open)+24))
	var started []int64
	failed := ""
	for range 40 {
		a, err := d.try(request{method: "POST", path: "/processes", body: m{"environment": "command", "code": "sleep 60"}})
		if err != nil {
			t.Fatal(err)
		}
		if a.status != 201 {
			a.want(t, 503)
			continue
		}
		id := a.json(t).id()
		started = append(started, id)
		var rec m
		waitFor(t, "a start or a failure", func() bool { rec = d.record(t, id); return rec.state() != "queued" })
		if rec.state() == "idle" {
			rec.wantEnd(t, "failed")
			if kind := rec.obj("outcome").obj("reason").str("kind"); kind != "spawn_failed" {
				t.Errorf("%v", rec["outcome"])
			}
			failed = rec.str("error")
			break
		}
	}
	if !strings.Contains(failed, "too many open files") {
		t.Errorf("the error is %q", failed)
	}
	// More connections than there is room for, which their clients keep: whoever
	// comes is answered all the same.
	before := cpuTime(t, pid)
	for range 60 {
		c := &http.Client{Transport: &http.Transport{}, Timeout: patience}
		defer c.CloseIdleConnections()
		if a := (&daemon{addr: d.addr, tcp: c}).get(t, "/health"); a.status != 200 {
			t.Errorf("%v", a)
		}
	}
	d.get(t, "/processes").want(t, 200)
	if rec := d.record(t, running); rec.state() != "running" {
		t.Errorf("what ran before is %s: %v", rec.state(), rec["error"])
	}
	time.Sleep(300 * time.Millisecond) // of standing at the limit
	if used := cpuTime(t, pid) - before; used > 2*time.Second {
		t.Errorf("it used %v of processor time at the limit", used)
	}
	limitFiles(t, pid, was)
	d.sh(t, "echo well", block).wantEnd(t, "success")
	for _, id := range append(started, running) {
		_, _ = d.try(request{method: "POST", path: path(id, "/signals/kill"), body: m{"now": true, "block": true}})
		if rec := d.record(t, id); rec.state() != "idle" {
			t.Errorf("process %d is %s", id, rec.state())
		}
	}
}
