package reeve_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/remote"
	"github.com/reeverun/reeve/process"
)

// kept is a directory with a keeper, for one runtime after the other.
type kept struct {
	reeve.Config
	client *remote.Client // of the newest runtime
}

func newKept(t *testing.T) *kept {
	k := &kept{Config: reeve.Config{Dir: t.TempDir()}}
	k.Keep = func(ctx context.Context) (keeper.Lasting, error) {
		var err error
		k.client, err = remote.Connect(ctx, remote.Config{Dir: filepath.Join(k.Dir, "keeper")})
		return k.client, err
	}
	t.Cleanup(func() { // the keeper ends with the test
		c, err := remote.Connect(bounded(t), remote.Config{Dir: filepath.Join(k.Dir, "keeper")})
		if err == nil {
			err = c.Shutdown(bounded(t))
			c.Close()
		}
		if err != nil {
			t.Error("end the keeper:", err)
		}
	})
	return k
}

// open starts the next runtime, and returns what closes it.
func (k *kept) open(t *testing.T) (*reeve.Runtime, func()) {
	t.Helper()
	rt, err := reeve.Open(t.Context(), k.Config)
	if err != nil {
		t.Fatal("open:", err)
	}
	closed := false
	shut := func() {
		if !closed {
			closed = true
			if err := rt.Close(); err != nil {
				t.Error("close:", err)
			}
		}
	}
	t.Cleanup(shut)
	return rt, shut
}

func waitID(t testing.TB, rt *reeve.Runtime, id reeve.ID) *reeve.Process {
	t.Helper()
	if _, err := rt.Wait(bounded(t), id); err != nil {
		t.Fatal("wait:", err)
	}
	return record(t, rt, id)
}

// wantLines checks that numbered lines are all there, once, and that events have
// no gap.
func wantLines(t testing.TB, rt *reeve.Runtime, id reeve.ID, n int) {
	t.Helper()
	var lines []string
	for i, ev := range stored(events(t, rt, id)) {
		if ev.Seq != int64(i+1) {
			t.Fatalf("seq %d at place %d", ev.Seq, i+1)
		}
		if d, ok := ev.Data.(process.OutputAppended); ok {
			lines = append(lines, d.Line)
		}
	}
	var want []string
	for i := range n {
		want = append(want, fmt.Sprintf("line %d of many", i+1))
	}
	if got := strings.Join(lines, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("%d lines, want %d:\n%.500s", len(lines), n, got)
	}
}

const manyLines = `i=0; while [ $i -lt 300 ]; do i=$((i+1)); printf 'line %d' $i; [ $((i%7)) = 0 ] && sleep 0.01; printf ' of many\n'; done; exit 7`

// A command goes on while there is no runtime, or several one after the other;
// its lines are not torn where one host ends, and its exit is exact.
func TestCommandOutlivesItsHost(t *testing.T) {
	k := newKept(t)
	rt, shut := k.open(t)
	p := spawn(t, rt, reeve.Sh(manyLines))
	for range 3 {
		time.Sleep(50 * time.Millisecond) // anywhere in its course
		shut()
		rt, shut = k.open(t)
	}
	rec := waitID(t, rt, p.ID())
	if rec.Exit == nil || rec.Exit.Code != 7 || rec.ExitState != process.ExitFailed || rec.Error != "exit status 7" {
		t.Errorf("%+v, %s, %q", rec.Exit, rec.ExitState, rec.Error)
	}
	wantLines(t, rt, p.ID(), 300)
	if n := count(events(t, rt, p.ID()), process.KindReattached); n < 1 {
		t.Error("it was not reattached")
	}
	if jobs := k.client.Jobs(); len(jobs) != 0 {
		t.Errorf("the keeper still has %v", jobs)
	}
}

// One that ends while there is no runtime is told as it was: when it ended, and
// not as timed out.
func TestCommandEndsWithoutAHost(t *testing.T) {
	k := newKept(t)
	rt, shut := k.open(t)
	p := spawn(t, rt, reeve.Sh("echo begun; sleep 0.2; echo over; exit 3").Timeout(500*time.Millisecond))
	awaitEvent(t, rt, p.ID(), isLine("begun"))
	shut()
	time.Sleep(time.Second)
	rt, _ = k.open(t)
	rec := waitID(t, rt, p.ID())
	if rec.Exit.Code != 3 || rec.ExitState != process.ExitFailed {
		t.Errorf("%s, %+v", rec.ExitState, rec.Exit)
	}
	if took := rec.CompletedAt.Sub(rec.StartedAt); took > 900*time.Millisecond || rec.Usage.WallMS > 900 {
		t.Errorf("it took %v, %d ms", took, rec.Usage.WallMS)
	}
}

// The clock goes on while there is no runtime.
func TestTimeoutAcrossHosts(t *testing.T) {
	k := newKept(t)
	rt, shut := k.open(t)
	p := spawn(t, rt, reeve.Sh("echo begun; exec sleep 1000").Timeout(300*time.Millisecond))
	awaitEvent(t, rt, p.ID(), isLine("begun"))
	shut()
	time.Sleep(400 * time.Millisecond)
	rt, _ = k.open(t)
	if rec := waitID(t, rt, p.ID()); rec.ExitState != process.ExitTimeout || rec.Exit.Code != 124 {
		t.Errorf("%s, %+v", rec.ExitState, rec.Exit)
	}
}

// A paused command is paused still; its pause does not count.
func TestPausedCommandOutlivesItsHost(t *testing.T) {
	k := newKept(t)
	rt, shut := k.open(t)
	p := spawn(t, rt, reeve.Sh("echo begun; while :; do sleep 0.01; done").Timeout(2*time.Second))
	awaitEvent(t, rt, p.ID(), isLine("begun"))
	pause(t, rt, p.ID())
	before := record(t, rt, p.ID())
	shut()
	rt, shut = k.open(t)
	rec := record(t, rt, p.ID())
	if !rec.Paused || !rec.PausedAt.Equal(before.PausedAt) || rec.State != process.Running {
		t.Errorf("%v since %v, %s", rec.Paused, rec.PausedAt, rec.State)
	}
	shut()
	time.Sleep(2 * time.Second) // more than its timeout
	rt, _ = k.open(t)
	resume(t, rt, p.ID())
	if rec := record(t, rt, p.ID()); rec.Paused || rec.Usage.WallMS > 1500 || rec.Usage.PausedMS < 2000 {
		t.Errorf("paused %v, %+v", rec.Paused, rec.Usage)
	}
	if err := rt.Kill(bounded(t), p.ID(), reeve.KillOptions{}); err != nil {
		t.Fatal(err)
	}
	if rec := waitID(t, rt, p.ID()); rec.ExitState != process.ExitCanceled {
		t.Errorf("%s", rec.ExitState)
	}
}

// The interpreter knows what it knew: a summary counts what was seen by an
// earlier host, and its phases are closed.
func TestInterpreterAcrossHosts(t *testing.T) {
	k := newKept(t)
	rt, shut := k.open(t)
	gate := filepath.Join(t.TempDir(), "gate")
	script := `
		echo '=== RUN   TestA'; echo '--- FAIL: TestA (0.00s)'; echo '    a_test.go:1: no'; echo waiting
		while [ ! -e GATE ]; do sleep 0.01; done
		echo '=== RUN   TestB'; echo '--- PASS: TestB (0.00s)'; echo FAIL; echo 'FAIL	example.org/a	0.1s'; exit 1`
	alone := finish(t, rt, reeve.Sh(strings.ReplaceAll(script, "GATE", "/")).Interpreter("go-test"))
	p := spawn(t, rt, reeve.Sh(strings.ReplaceAll(script, "GATE", gate)).Interpreter("go-test"))
	awaitEvent(t, rt, p.ID(), isLine("waiting"))
	shut()
	rt, _ = k.open(t)
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	rec := waitID(t, rt, p.ID())
	if rec.Outcome.Summary != alone.Outcome.Summary || len(rec.Outcome.Findings) != len(alone.Outcome.Findings) {
		t.Errorf("%q and %d findings, want %q and %d", rec.Outcome.Summary, len(rec.Outcome.Findings), alone.Outcome.Summary, len(alone.Outcome.Findings))
	}
	told := func(id reeve.ID) (kinds []string) {
		for _, ev := range stored(events(t, rt, id)) {
			if ev.Kind != process.KindReattached && ev.Kind != process.KindExited {
				kinds = append(kinds, string(ev.Kind))
			}
		}
		return kinds
	}
	if a, b := strings.Join(told(alone.ID), " "), strings.Join(told(p.ID()), " "); a != b {
		t.Errorf("told\n%s\nwant\n%s", b, a)
	}
}

// The keeper dies: what it held in cgroups goes on, with the right exit where
// the kernel tells it, and the runtime starts another for the next command.
func TestKeeperIsLost(t *testing.T) {
	k := newKept(t)
	rt, _ := k.open(t)
	gate := filepath.Join(t.TempDir(), "gate")
	p := spawn(t, rt, reeve.Sh("echo begun; while [ ! -e "+gate+" ]; do sleep 0.01; done; echo over; exit 5"))
	awaitEvent(t, rt, p.ID(), isLine("begun"))
	pid, _ := k.client.Keeper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if rec := finish(t, rt, reeve.Sh("exit 4")); rec.Exit.Code != 4 {
		t.Errorf("a new one: %+v, %q", rec.Exit, rec.Error)
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	rec := waitID(t, rt, p.ID())
	switch {
	case rec.ExitState == process.ExitFailed && rec.Exit.Code == 5: // by the kernel
	case rec.Error == process.ErrHostExited:
	default:
		t.Errorf("%s, %+v, %q", rec.ExitState, rec.Exit, rec.Error)
	}
	if next, _ := k.client.Keeper(); next == pid || next == 0 {
		t.Errorf("keeper %d, before %d", next, pid)
	}
}

// Output that an earlier host had in its memory is lost, and that is said.
func TestMemoryOutputAcrossHosts(t *testing.T) {
	k := newKept(t)
	k.RawOutput = reeve.MemoryOnly
	rt, shut := k.open(t)
	gate := filepath.Join(t.TempDir(), "gate")
	p := spawn(t, rt, reeve.Sh("echo begun; while [ ! -e "+gate+" ]; do sleep 0.01; done; echo over; exit 6"))
	awaitEvent(t, rt, p.ID(), isLine("begun"))
	shut()
	rt, _ = k.open(t)
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if rec := waitID(t, rt, p.ID()); rec.Exit.Code != 6 {
		t.Errorf("%+v", rec.Exit)
	}
	for _, ev := range events(t, rt, p.ID()) {
		if w, ok := ev.Data.(process.WarningDetected); ok && w.Code == "reeve.output_lost" {
			return
		}
	}
	t.Error("nobody says that output is lost")
}

// What no record tells of is ended when a runtime opens.
func TestUnknownJobsAreEnded(t *testing.T) {
	k := newKept(t)
	rt, shut := k.open(t)
	finish(t, rt, reeve.Sh("true"))
	shut()
	c, err := k.Keep(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	j, err := c.Spawn(bounded(t), keeper.Spec{Name: "99-1", Path: "/bin/sleep", Args: []string{"1000"}})
	if err != nil {
		t.Fatal(err)
	}
	pid := j.PID()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	_, _ = k.open(t)
	if err := syscall.Kill(pid, 0); err == nil && !isZombie(pid) {
		t.Error("it still runs")
	}
	if jobs := k.client.Jobs(); len(jobs) != 0 {
		t.Errorf("the keeper still has %v", jobs)
	}
}

func isZombie(pid int) bool {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(b), ") ")
	return rest == "" || rest[0] == 'Z'
}
