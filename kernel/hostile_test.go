package kernel

// Tests of a hostile review: each of them states what should hold and proved,
// when it was written, that it does not. The comment says what goes wrong.

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
)

// The same without help: after from has found nothing, either the feed knows
// that somebody waits, or the channel is closed, or about to be. More threads
// than cores make it likelier; it does not fail every time.
func TestHostileLostWakeUpUnderLoad(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	f := newFeed(64, 0, 0)
	_, _, next := f.join()
	over := make(chan struct{})
	var publisher sync.WaitGroup
	publisher.Go(func() {
		for i := int64(1); ; i++ {
			select {
			case <-over:
				return
			default:
				f.publish([]*item{{seq: i, count: 1}})
			}
			if i%2000 == 0 {
				time.Sleep(time.Microsecond) // or the timers never come
			}
		}
	})
	defer publisher.Wait()
	defer close(over)
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); {
		w := f.from(next)
		if len(w.items) > 0 {
			next = w.next + int64(len(w.items))
			continue
		}
		if f.waiting.Load() {
			continue
		}
		f.mu.Lock() // no broadcast is under way
		lost := f.state.Load().wake == w.wake && !f.waiting.Load()
		f.mu.Unlock()
		if lost {
			t.Fatal("a reader waits, and the feed does not know")
		}
	}
}

func eventuallyWithin(d time.Duration, cond func() bool) bool {
	for giveUp := time.Now().Add(d); !cond(); {
		if time.Now().After(giveUp) {
			return false
		}
		time.Sleep(10 * time.Microsecond)
	}
	return true
}

// A run that was claimed ahead is started even if the log that tells the next
// host so cannot be made: after a crash it is run a second time.
// kernel/spawn.go:148 (begin).
func TestHostileStartWithoutAMark(t *testing.T) {
	r := onDisk(t, 1, nil)
	r.start(t, 0, "gate go")
	next := r.start(t, 0, "gate never")
	if !eventually(func() bool { return isAhead(r.stored(t, next)) }) {
		t.Fatal("not claimed ahead")
	}
	// Its folder cannot be made: a full or broken disk would do as well.
	if err := os.Symlink("nowhere", filepath.Join(r.cfg.Logs.Dir(), next.String())); err != nil {
		t.Fatal(err)
	}
	// The host dies when the environment has been called, and before anything
	// more is stored.
	r.fake.Open("go")
	if !eventually(func() bool { return len(r.fake.Executed()) == 2 || r.stored(t, next).State == process.Idle }) {
		t.Fatal("it neither starts nor fails")
	}
	if r.stored(t, next).State == process.Idle {
		return // refused: right
	}
	crashed := *r.stored(t, next)
	logs, err := rawlog.New(rawlog.Config{Dir: r.cfg.Logs.Dir()})
	if err != nil {
		t.Fatal(err)
	}
	defer logs.Close()
	// Once it is stored as running, the next host asks no further.
	if crashed.State == process.Queued && (&Kernel{cfg: Config{Logs: logs, SameLogs: true}}).notStarted(&crashed) {
		t.Error("it was started, and the next host takes it for not started: it runs twice")
	}
}

// Bytes without a newline reach a follower only when the program falls silent
// for 100 ms: dots of progress every 20 ms are not seen until it pauses, or 64
// KiB have come. kernel/follow.go:47, partial.go:24.
func TestHostileFollowSeesASteadyUnterminatedLine(t *testing.T) {
	r := newRig(t, 0, nil)
	script := ""
	for range 100 {
		script += "raw .\nsleep 20ms\n"
	}
	id := r.start(t, 0, script+"gate end")
	defer r.fake.Open("end")
	var b lockedBuffer
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.Follow(ctx, &b, nil, id, 0, rawlog.Stdout, 0) }()
	defer func() { cancel(); <-done }()
	size := func() int64 {
		out, err := r.OpenOutput(t.Context(), id, 0)
		if err != nil {
			return 0
		}
		defer out.Close()
		return out.Size(rawlog.Stdout)
	}
	if !eventuallyWithin(10*time.Second, func() bool { return size() >= 50 }) {
		t.Fatal("no output")
	}
	if n := b.Len(); n < 25 {
		t.Errorf("50 bytes were written in a second, the follower has %d", n)
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Len()
}

// Follow of a finished run, asked for while the next run is being entered,
// waits for the end of that one. kernel/follow.go:30 (sub.run is the view's).
func TestHostileFollowOfAFinishedRunDuringARerun(t *testing.T) {
	r := newRig(t, 0, nil)
	id := r.start(t, 0, "out x")
	if _, err := r.Wait(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	committing, commit := make(chan struct{}), make(chan struct{})
	var once sync.Once
	r.st.apply = func(next func() error) error {
		once.Do(func() { close(committing); <-commit })
		return next()
	}
	ran := make(chan error, 1)
	go func() { ran <- r.Run(context.Background(), id, RunOptions{Force: true}) }()
	<-committing
	var b lockedBuffer
	done := make(chan error, 1)
	go func() { done <- r.Follow(t.Context(), &b, nil, id, 1, rawlog.Stdout, 0) }()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Second):
		t.Error("run 1 is over, and following it waits for run 2")
	}
	close(commit)
	if err := <-ran; err != nil {
		t.Error(err)
	}
	if _, err := r.Wait(t.Context(), id); err != nil {
		t.Error(err)
	}
}

// A stream that waits for the first run of a process looks again when anything
// happens anywhere, and a delete is no event: on a quiet kernel it waits for
// ever for what is gone. kernel/subscribe.go (awaitRun), query.go (Delete).
func TestHostileStreamOfADeletedProcessThatNeverRan(t *testing.T) {
	r := newRig(t, 0, nil)
	id, err := r.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "fake"}, Parked: true})
	if err != nil {
		t.Fatal(err)
	}
	sub, err := r.SubscribeProcess(t.Context(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	if ev, err := sub.Next(t.Context()); err != nil || ev.Kind != process.KindProcessCreated {
		t.Fatal(ev, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	waiting := make(chan error, 1)
	go func() {
		_, err := sub.Next(ctx)
		waiting <- err
	}()
	if !eventually(func() bool { r.table.mu.Lock(); defer r.table.mu.Unlock(); return r.table.births[id] != nil }) {
		t.Fatal("it does not wait")
	}
	if _, err := r.Delete(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if err := <-waiting; err != io.EOF {
		t.Errorf("the stream of a deleted process: %v", err)
	}
}

// And while it waits, everything counts as watched: no commit is put off to
// share one, for any process (proc.unwatched).
func TestHostileWatcherOfAParkedProcessDoesNotWatchAll(t *testing.T) {
	r := newRig(t, 0, nil)
	id, err := r.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "fake"}, Parked: true})
	if err != nil {
		t.Fatal(err)
	}
	sub, err := r.SubscribeProcess(t.Context(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	if r.events.wanted() {
		t.Error("a subscriber of one idle process makes the kernel keep, and commit at once, the events of all")
	}
}
