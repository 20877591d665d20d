//go:build unix

package main

import (
	"bufio"
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reeverun/reeve/process"
)

// A stop ends what runs, tells the truth about it, and keeps what is queued for
// the next daemon.
func TestStopEndsWhatRunsAndKeepsWhatIsQueued(t *testing.T) {
	w := newWorld(t)
	first := w.serve("--concurrency=command=1")
	pidFile := filepath.Join(t.TempDir(), "pid")
	running := w.start("echo $$ > " + pidFile + "; sleep 1000")
	queued := w.start("echo ran")
	pid := first.pidIn(pidFile)
	first.signal(syscall.SIGTERM)
	if code := first.wait(); code != 0 {
		t.Errorf("exit code %d\n%s", code, first.logged())
	}
	if alive(pid) {
		t.Error("the command outlived the daemon")
	}

	second := w.serve()
	if rec := w.record(running); rec.State != process.Idle || rec.ExitState == nil || *rec.ExitState != process.ExitCanceled {
		t.Errorf("what ran: %s %v", rec.State, rec.ExitState)
	}
	second.eventually("what was queued has run", func() bool { return w.record(queued).State == process.Idle })
	if rec := w.record(queued); rec.ExitState == nil || *rec.ExitState != process.ExitSuccess || rec.Run != 1 {
		t.Errorf("what was queued: %v, run %d", rec.ExitState, rec.Run)
	}
}

// While it ends what runs, a daemon takes no work but still answers; who waits
// for a process hears of its end.
func TestWhileStopping(t *testing.T) {
	w := newWorld(t)
	s := w.serve("--grace=1h", "--stop-timeout=1h")
	blocked := make(chan int, 1)
	go func() {
		status, err := w.post(t.Context(), "/processes", `{"environment":"fake","code":"stubborn","block":true}`)
		if err != nil {
			t.Error(err)
		}
		blocked <- status
	}()
	s.eventually("it runs", func() bool {
		rec, err := w.client().Process(t.Context(), 1)
		return err == nil && rec.State == process.Running
	})
	s.signal(syscall.SIGTERM)
	s.eventually("it is being ended", func() bool { return w.record(1).State == process.Terminating })
	if status, err := w.post(t.Context(), "/processes", `{"environment":"fake","code":""}`); status != http.StatusServiceUnavailable || err != nil {
		t.Errorf("a create while stopping: %d, %v", status, err)
	}
	s.signal(syscall.SIGTERM)
	if code := s.wait(); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.logged())
	}
	if status := <-blocked; status != http.StatusCreated {
		t.Errorf("the blocked create: %d", status)
	}
}

const ignoresTerm = "trap '' TERM; echo $$ > PID; while :; do sleep 1; done"

func TestSecondSignalIsAtOnce(t *testing.T) {
	w := newWorld(t)
	s := w.serve("--grace=1h", "--stop-timeout=1h")
	pidFile := filepath.Join(t.TempDir(), "pid")
	id := w.start(strings.ReplaceAll(ignoresTerm, "PID", pidFile))
	pid := s.pidIn(pidFile)
	s.eventually("it runs", func() bool { return w.record(id).State == process.Running }) // the file may be there before
	s.signal(syscall.SIGINT)
	s.eventually("it is being ended", func() bool { return w.record(id).State == process.Terminating })
	s.signal(syscall.SIGINT)
	if code := s.wait(); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.logged())
	}
	if alive(pid) {
		t.Error("the command is still there")
	}
	w.serve()
	if rec := w.record(id); rec.ExitState == nil || *rec.ExitState != process.ExitCanceled {
		t.Errorf("recorded as %v", rec.ExitState)
	}
}

func TestStopTimeoutEndsTheGrace(t *testing.T) {
	w := newWorld(t)
	s := w.serve("--grace=1h", "--stop-timeout=50ms")
	pidFile := filepath.Join(t.TempDir(), "pid")
	w.start(strings.ReplaceAll(ignoresTerm, "PID", pidFile))
	pid := s.pidIn(pidFile)
	s.signal(syscall.SIGTERM)
	if code := s.wait(); code != 0 || alive(pid) {
		t.Errorf("exit code %d, command alive: %v\n%s", code, alive(pid), s.logged())
	}
}

// Streams are ended by the stop, not cut, and do not hold it up.
func TestStreamsEndWithTheDaemon(t *testing.T) {
	w := newWorld(t)
	s := w.serve()
	id := w.start("echo line; sleep 1000")
	for _, args := range [][]string{{"logs", "-f", id.String()}, {"events", "-f", id.String()}} {
		stream := w.command(args...)
		out, err := stream.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := stream.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { // it may look for the daemon again, for a while
			_ = stream.Process.Kill()
			_ = stream.Wait()
		}()
		if line, err := bufio.NewReader(out).ReadString('\n'); line == "" {
			t.Fatalf("%v: %v", args, err)
		}
	}
	s.signal(syscall.SIGTERM)
	if code := s.wait(); code != 0 || strings.Contains(s.logged(), "cutting requests") {
		t.Errorf("exit code %d\n%s", code, s.logged())
	}
}

// Commands outlive a daemon that is killed; the next one has them.
func TestKilledDaemonIsReplaced(t *testing.T) {
	w := newWorld(t)
	first := w.serve()
	pidFile := filepath.Join(t.TempDir(), "pid")
	id := w.start("echo $$ > " + pidFile + "; sleep 1000")
	pid := first.pidIn(pidFile)
	first.signal(syscall.SIGKILL)
	first.wait()

	w.serve()
	if rec := w.record(id); rec.State != process.Running || !alive(pid) {
		t.Errorf("%s, alive: %v", rec.State, alive(pid))
	}
	if r := w.run("kill", id.String()); r.code != 0 || alive(pid) {
		t.Errorf("%+v, alive: %v", r, alive(pid))
	}
	if rec := w.record(id); rec.ExitState == nil || *rec.ExitState != process.ExitCanceled {
		t.Errorf("%s %v", rec.State, rec.ExitState)
	}
	if r := w.run("run", "--", "echo", "on"); r.stdout != "on\n" || r.code != 0 {
		t.Errorf("%+v", r)
	}
}

func TestHangupIsAStop(t *testing.T) {
	s := newWorld(t).serve()
	s.signal(syscall.SIGHUP)
	if code := s.wait(); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.logged())
	}
}

// A stop with nothing to end takes no time worth speaking of, idle clients or
// not.
func TestIdleStopIsPrompt(t *testing.T) {
	w := newWorld(t)
	s := w.serve()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second) // less than requests may linger
	defer cancel()
	if err := w.client().Health(ctx); err != nil { // leaves an idle connection
		t.Fatal(err)
	}
	s.signal(syscall.SIGTERM)
	select {
	case err := <-s.over:
		s.over <- err
	case <-ctx.Done():
		t.Errorf("it lingers:\n%s", s.logged())
	}
}
