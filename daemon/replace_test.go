//go:build linux || darwin

package daemon

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/daemon/handover"
	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/settings"
)

// heirOf makes a daemon that is to replace another.
func heirOf(f *fixture, flags ...string) *fixture {
	next := prepare(f.t, append([]string{"data=" + f.s.Data}, flags...)...)
	next.s.Replace = true
	next.l = f.l
	return next
}

func (f *fixture) serves(t *testing.T, version string) {
	t.Helper()
	for where, at := range map[string]struct {
		c    *http.Client
		base string
	}{"socket": {f.overSocket(), "http://localhost"}, "tcp": {f.overTCP(), "http://" + f.addr}} {
		status, b, err := f.try(at.c, at.base, "GET", "/version", "")
		if status != http.StatusOK || err != nil || !strings.Contains(string(b), version) {
			t.Errorf("over %s: %d %s %v, want %s", where, status, b, err, version)
		}
	}
}

func TestReplace(t *testing.T) {
	t.Parallel()
	old := prepare(t)
	old.w.Version.Version = "v1"
	old.start()
	done := old.create(`{"environment":"fake","code":"out a","block":true}`)
	next := heirOf(old)
	next.w.Version.Version = "v2"
	next.start()
	old.await()
	if next.addr != old.addr {
		t.Errorf("it listens on %s, not on %s", next.addr, old.addr)
	}
	next.serves(t, "v2")
	if rec := next.record(done.ID); rec.State != process.Idle || *rec.Stdout != "a\n" {
		t.Errorf("%+v", rec)
	}
	if !strings.Contains(old.log.String(), "handed over") || !strings.Contains(next.log.String(), "replacing") {
		t.Errorf("old: %s\nnew: %s", old.log, next.log)
	}
	next.stop()
	data := settings.DataDir(next.s.Data)
	for _, path := range []string{data.Socket(), data.SocketFile(), data.AddressFile()} {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", path, err)
		}
	}
}

func TestReplaceNobody(t *testing.T) {
	t.Parallel()
	f := prepare(t)
	f.s.Replace = true
	f.start()
	f.serves(t, "test")
	if !strings.Contains(f.log.String(), "no daemon to replace") {
		t.Error(f.log)
	}
}

// An address both have is handed over, one that is new is bound, one that is
// dropped is closed.
func TestReplaceListensElsewhere(t *testing.T) {
	t.Parallel()
	old := prepare(t).start()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := l.Addr().String()
	l.Close()
	next := heirOf(old, "listen="+elsewhere).start()
	old.await()
	next.serves(t, "test")
	if c, err := net.Dial("tcp", old.addr); err == nil {
		c.Close()
		t.Errorf("%s still listens", old.addr)
	}
	last := heirOf(next, "listen=none").start()
	next.await()
	if status, _, err := last.try(last.overSocket(), "http://localhost", "GET", "/health", ""); status != http.StatusOK {
		t.Errorf("%d %v", status, err)
	}
	if c, err := net.Dial("tcp", elsewhere); err == nil {
		c.Close()
		t.Errorf("%s still listens", elsewhere)
	}
	if _, err := os.Stat(settings.DataDir(last.s.Data).AddressFile()); !os.IsNotExist(err) {
		t.Error("the address is still told")
	}
}

// What keeps the new one from serving is found while the old one serves.
func TestReplaceByOneThatCannotServe(t *testing.T) {
	t.Parallel()
	old := prepare(t).start()
	running := old.create(`{"environment":"fake","code":"hang"}`)
	eventually(t, "it runs", func() bool { return old.record(running.ID).State == process.Running })
	rules := t.TempDir()
	if err := os.WriteFile(filepath.Join(rules, "bad.yaml"), []byte("rules: 7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, flag := range []string{"rules-dir=" + rules, "tools=" + rules + "/none.yaml", "listen=0.0.0.0:0", "listen=" + taken.Addr().String()} {
		t.Log(flag, "→", heirOf(old, flag).fails())
	}
	broken := heirOf(old)
	broken.w.Environments = func(Parts) (map[string]env.Environment, error) { return nil, errors.New("no engine") }
	t.Log(broken.fails())
	if rec := old.record(running.ID); rec.State != process.Running {
		t.Errorf("%+v", rec)
	}
	old.serves(t, "test")
}

// If it fails when the old one has left, that one serves again.
func TestReplaceByOneThatFailsLate(t *testing.T) {
	t.Parallel()
	old := prepare(t, "drain-for=0s").start()
	next := heirOf(old, "drain-for=0s")
	next.w.Environments = func(Parts) (map[string]env.Environment, error) {
		return map[string]env.Environment{"fake": &unready{}}, nil
	}
	if err := next.fails(); !strings.Contains(err.Error(), "not now") {
		t.Error(err)
	}
	eventually(t, "the old one serves again", func() bool { return strings.Count(old.log.String(), "msg=serving ") == 2 })
	old.serves(t, "test")
	old.create(`{"environment":"fake","code":"out a","block":true}`)
	heirOf(old).start()
	old.await()
}

// An heir may go at any point of the conversation.
func TestReplaceByOneThatGoes(t *testing.T) {
	t.Parallel()
	old := prepare(t).start()
	socket, err := settings.DataDir(old.s.Data).FindSocket()
	if err != nil {
		t.Fatal(err)
	}
	words := []handover.Word{handover.Hello, handover.Begin, handover.Take, handover.Taken, handover.Released}
	for served, last := range words {
		var p *handover.Peer
		eventually(t, "it can be asked", func() bool {
			var err error
			p, _, err = handover.Ask(t.Context(), socket, handover.Request{Protocol: handover.Protocol, PID: 7})
			return err == nil
		})
		for _, w := range words[1 : served+1] {
			if w == handover.Begin || w == handover.Taken {
				err = p.Say(handover.Message{Say: w})
			} else {
				var m handover.Message
				m, err = p.Await(t.Context(), w)
				m.CloseFiles()
			}
			if err != nil {
				t.Fatalf("%s: %v", w, err)
			}
		}
		p.Close()
		old.serves(t, "test")
		eventually(t, fmt.Sprintf("it goes on after %s", last), func() bool {
			// One that goes right after it has taken the sockets may be missed before
			// that word of it is heard.
			stayed, again := strings.Count(old.log.String(), "not replaced"), strings.Count(old.log.String(), "serving again")
			return stayed+again == served+1 && stayed >= min(served+1, 3)
		})
	}
}

// Of two that ask at the same time one is told so.
func TestReplaceByTwo(t *testing.T) {
	t.Parallel()
	old := prepare(t).start()
	socket, err := settings.DataDir(old.s.Data).FindSocket()
	if err != nil {
		t.Fatal(err)
	}
	first, _, err := handover.Ask(t.Context(), socket, handover.Request{Protocol: handover.Protocol})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if err := heirOf(old).fails(); !errors.Is(err, process.ErrOwned) || !strings.Contains(err.Error(), "another daemon is replacing") {
		t.Error(err)
	}
	old.serves(t, "test")
}

// A daemon that knows another protocol, or none, says so.
func TestReplaceAnotherVersion(t *testing.T) {
	t.Parallel()
	old := prepare(t).start()
	socket, err := settings.DataDir(old.s.Data).FindSocket()
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := handover.Ask(t.Context(), socket, handover.Request{Protocol: 99}); err == nil || !strings.Contains(err.Error(), "protocol 1") {
		t.Error(err)
	}
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	elder := &http.Server{Handler: http.NotFoundHandler()}
	go func() { _ = elder.Serve(l) }()
	defer elder.Close()
	_, _, err = handover.Ask(t.Context(), l.Addr().String(), handover.Request{Protocol: handover.Protocol})
	if err == nil || !strings.Contains(err.Error(), "cannot hand over") || !strings.Contains(err.Error(), "without --replace") {
		t.Error(err)
	}
}

// Programs that run have drain-for to end by themselves; then they are ended, as
// by a stop. What waits runs under the next one.
func TestReplaceLetsProgramsEnd(t *testing.T) {
	t.Parallel()
	old := prepare(t, "concurrency=fake=2").start()
	short := old.create(`{"environment":"fake","code":"sleep 300ms\nout done"}`)
	long := old.create(`{"environment":"fake","code":"hang"}`)
	queued := old.create(`{"environment":"fake","code":"out ran"}`)
	next := heirOf(old, "concurrency=fake=2", "drain-for=1s").start()
	old.await()
	if rec := next.record(short.ID); *rec.ExitState != process.ExitSuccess || *rec.Stdout != "done\n" {
		t.Errorf("the short one: %+v", rec)
	}
	if rec := next.record(long.ID); *rec.ExitState != process.ExitCanceled {
		t.Errorf("the long one: %+v", rec)
	}
	eventually(t, "the queued one has run", func() bool { return next.record(queued.ID).State == process.Idle })
	if rec := next.record(queued.ID); *rec.Stdout != "ran\n" || rec.Run != 1 {
		t.Errorf("the queued one: %+v", rec)
	}
}

// Who waits for a process that does not end in time is told where it is.
func TestReplaceAnswersTheBlocked(t *testing.T) {
	t.Parallel()
	old := prepare(t, "concurrency=fake=1")
	old.l.rest = 50 * time.Millisecond
	old.start()
	old.create(`{"environment":"fake","code":"hang"}`)
	type told struct {
		status   int
		location string
		err      error
	}
	blocked := make(chan told, 1)
	go func() {
		resp, err := old.overTCP().Post("http://"+old.addr+"/processes", "application/json", strings.NewReader(`{"environment":"fake","code":"hang","block":true}`))
		if err != nil {
			blocked <- told{err: err}
			return
		}
		resp.Body.Close()
		blocked <- told{resp.StatusCode, resp.Header.Get("Location"), nil}
	}()
	eventually(t, "it is created", func() bool {
		status, _ := old.call("GET", "/processes/2", "")
		return status == http.StatusOK
	})
	heirOf(old, "drain-for=0s").start()
	old.await()
	if got := <-blocked; got != (told{http.StatusServiceUnavailable, "/processes/2", nil}) {
		t.Errorf("%+v", got)
	}
}

// A service manager is told who the service is now, before the old one exits, and
// is not told that the service stops.
func TestReplaceTellsTheManager(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	hear := func() string {
		b := make([]byte, 256)
		_ = l.SetReadDeadline(time.Now().Add(patience))
		n, err := l.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		return string(b[:n])
	}
	t.Setenv("NOTIFY_SOCKET", path)
	old := prepare(t).start()
	if got := hear(); got != "READY=1" {
		t.Errorf("%q", got)
	}
	t.Setenv("NOTIFY_SOCKET", path)
	next := heirOf(old).start()
	old.await()
	if got := hear(); got != fmt.Sprintf("MAINPID=%d\nREADY=1", os.Getpid()) {
		t.Errorf("%q", got)
	}
	next.stop()
	if got := hear(); got != "STOPPING=1" {
		t.Errorf("%q", got)
	}
}

// A connection on which nobody asks anything holds nobody up for long.
func TestReplaceDoesNotWaitForTheSilent(t *testing.T) {
	t.Parallel()
	old := prepare(t)
	old.l.rest, old.l.linger = 50*time.Millisecond, 2*patience
	old.start()
	c := dial(t, old.addr)
	eventually(t, "it is accepted", func() bool {
		return old.record(old.create(`{"environment":"fake","code":"","block":true}`).ID).State == process.Idle
	})
	next := heirOf(old).start() // or it would wait out the linger
	old.await()
	next.serves(t, "test")
	_ = c.SetReadDeadline(time.Now().Add(patience))
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("the silent connection goes on")
	}
}
