package kernel

// Tests of a hostile review: each of them states what should hold and proved,
// when it was written, that it does not. The comment says what goes wrong.

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
)

// A lost wake-up. from says that it waits (waiting) and then looks; broadcast
// takes the word back and then makes a new wake channel. A reader that has read
// everything and says so just before a broadcast that was due for others, or
// delayed by pace, looks after it: it holds the new channel, and waiting is
// false. Nothing that is published wakes it then, not even the end of the feed,
// until some other reader waits. kernel/feed.go:147 (from), :106 (broadcast).
// This plays the two halves of from around one broadcast.
func TestHostileLostWakeUpStepByStep(t *testing.T) {
	f := newFeed(16, 0, 0)
	_, _, next := f.join()
	f.from(next) // another reader waits, or this one did, so that a broadcast is due
	f.mu.Lock()
	f.change(*f.state.Load())
	f.mu.Unlock()

	w := interrupted(f, next, func() {
		f.mu.Lock()
		f.broadcast()
		f.mu.Unlock()
	})
	f.publish([]*item{{seq: 1, count: 1, events: make([]process.Event, 1)}})
	f.end()
	if f.timer != nil {
		t.Fatal("the broadcast is only late")
	}
	select {
	case <-w.wake:
	default:
		t.Error("an item and the end were published, and who waits is not woken")
	}
}

// interrupted is feed.from with something happening between its word and its
// look. It must be kept the same as from.
func interrupted(f *feed, next int64, happens func()) window {
	f.waiting.Store(true)
	happens()
	return f.at(next)
}

// The same without help: a reader that looks again before it waits, as an event
// stream does (Poll, then Next), and a publisher.
func TestHostileLostWakeUpUnderLoad(t *testing.T) {
	f := newFeed(1<<20, 0, 0)
	var reached atomic.Int64
	over := make(chan struct{})
	var reader sync.WaitGroup
	_, _, next := f.join()
	reader.Go(func() {
		for {
			w := f.from(next)
			for i := 0; len(w.items) == 0 && i < 50; i++ {
				w = f.at(next)
			}
			if len(w.items) == 0 {
				w = f.from(next)
			}
			if len(w.items) > 0 {
				next = w.next + int64(len(w.items))
				reached.Store(next)
				continue
			}
			select {
			case <-w.wake:
			case <-over:
				return
			}
		}
	})
	end := time.Now().Add(3 * time.Second)
	for i := int64(1); time.Now().Before(end) && !t.Failed(); i++ {
		f.publish([]*item{{seq: i, count: 1}})
		if i%4 == 0 && !eventuallyWithin(time.Second, func() bool { return reached.Load() >= i }) {
			t.Errorf("the reader sleeps at %d, %d are published, waiting is %v", reached.Load(), i, f.waiting.Load())
		}
	}
	close(over)
	reader.Wait()
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
	var crashed process.Process
	r.st.apply = nil
	r.fake.Open("go")
	if !eventually(func() bool { return len(r.fake.Executed()) == 2 || r.stored(t, next).State == process.Idle }) {
		t.Fatal("it neither starts nor fails")
	}
	if r.stored(t, next).State == process.Idle {
		return // refused: right
	}
	crashed = process.Process{ID: next, State: process.Queued, Claimed: true, Ahead: true,
		Spec: process.Spec{Environment: "fake", RawOutput: process.Persist}, Run: process.Run{Number: 1, Captured: process.Persist}}
	logs, err := rawlog.New(rawlog.Config{Dir: r.cfg.Logs.Dir()})
	if err != nil {
		t.Fatal(err)
	}
	defer logs.Close()
	if (&Kernel{cfg: Config{Logs: logs, SameLogs: true}}).notStarted(&crashed) {
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
	r.fake.Open("unused")
	ran := make(chan error, 1)
	// The script is the same; the second run is held by a pause of the store.
	go func() { ran <- r.Run(context.Background(), id, true) }()
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
