package kernel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// full is a real store on a disk that is full when told so.
type full struct {
	store.Store
	mu    sync.Mutex
	why   error         // nil: there is room
	takes time.Duration // of a refusal
	tries int
}

func (f *full) Apply(ctx context.Context, c []store.Change) error {
	f.mu.Lock()
	why, takes := f.why, f.takes
	f.tries++
	f.mu.Unlock()
	if why != nil {
		time.Sleep(takes)
		return fmt.Errorf("apply: %w", why)
	}
	return f.Store.Apply(ctx, c)
}

func (f *full) Delete(ctx context.Context, id process.ID) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.why != nil {
		return f.why
	}
	return f.Store.Delete(ctx, id)
}

func (f *full) Probe(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.why
}

func (f *full) be(why error, takes time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.why, f.takes = why, takes
}

var (
	noRoom = &store.Unavailable{Reason: store.Full, Message: "the disk is full: make room", Err: errors.New("no space")}
	locked = &store.Unavailable{Reason: store.Locked, Message: "locked by another program", Err: errors.New("busy")}
)

type failing struct {
	*fixture
	disk *full
	log  *logged
}

// logged is what a kernel has logged.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newOutage(t testingT) *failing {
	o := &failing{log: &logged{}}
	o.fixture = newFixtureWith(t, 0, func(c *Config) {
		o.disk = &full{Store: c.Store}
		c.Store = o.disk
		c.Logger = slog.New(slog.NewTextHandler(o.log, nil))
	})
	return o
}

func (o *failing) create() (process.ID, error) {
	return o.Spawn(context.Background(), Request{Spec: process.Spec{Environment: "fake"}})
}

// A disk that is full for hours: creates are refused, honestly and soon; what
// runs goes on and can be read; its end is kept and stored when there is room,
// once and in order; nobody is flooded.
func TestFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutage(t)
		defer o.shut(t)
		done := o.spawn(t, "out before")
		if _, err := o.Wait(t.Context(), done); err != nil {
			t.Fatal(err)
		}
		id := o.spawn(t, "out first\ngate go\nout second\ngate on\nout third")
		time.Sleep(time.Second)
		if o.Trouble() != nil {
			t.Fatal("in trouble before there is any")
		}
		o.disk.be(noRoom, 0)
		o.fake.Open("go")
		time.Sleep(time.Minute)

		for range 3 {
			began := time.Now()
			id, err := o.create()
			var pe *process.Error
			if !errors.Is(err, process.ErrUnrecorded) || !errors.As(err, &pe) || pe.Code != process.CodeNoEnvironment || !strings.Contains(err.Error(), "make room") {
				t.Fatalf("create: %d, %v", id, err)
			}
			if took := time.Since(began); took > 2*time.Second {
				t.Errorf("a create was refused after %v", took)
			}
		}
		if err := o.Run(t.Context(), done, RunOptions{Force: true}); !errors.Is(err, process.ErrUnrecorded) {
			t.Errorf("run again: %v", err)
		}
		if _, err := o.Delete(t.Context(), done); !errors.Is(err, process.ErrUnrecorded) {
			t.Errorf("delete: %v", err)
		}
		if rec, err := o.Process(t.Context(), done); err != nil || rec.Number != 1 || rec.State != process.Idle || rec.Outcome == nil {
			t.Errorf("what was refused changed the record: %+v, %v", rec, err)
		}
		time.Sleep(shortOutage)
		if err := o.Trouble(); !errors.Is(err, process.ErrUnrecorded) || !strings.Contains(err.Error(), "refused since 2000-01-01T") {
			t.Errorf("trouble: %v", err)
		}
		if rec, err := o.Process(t.Context(), id); err != nil || rec.State != process.Running {
			t.Errorf("what runs cannot be read: %+v, %v", rec, err)
		}
		sub, err := o.SubscribeProcess(t.Context(), id, 0)
		if err != nil {
			t.Fatal(err)
		}
		for { // lines are shown, they need no store
			ev, err := sub.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if d, ok := ev.Data.(process.OutputAppended); ok && d.Line == "second" && !d.Partial {
				break
			}
		}
		sub.Close()
		o.fake.Open("on")
		time.Sleep(3 * time.Hour)
		if rec, err := o.Process(t.Context(), id); err != nil || rec.State == process.Idle {
			t.Errorf("an end that is not stored shows: %+v, %v", rec, err)
		}
		if n := strings.Count(o.log.String(), "records cannot be written"); n < 2 || n > 200 {
			t.Errorf("%d lines in three hours", n)
		}

		o.disk.be(nil, 0)
		rec, err := o.Wait(t.Context(), id)
		if err != nil || !rec.Outcome.Succeeded() || rec.StdoutBytes != int64(len("first\nsecond\nthird\n")) {
			t.Errorf("%+v, %v", rec, err)
		}
		checkLog(t, o.fixture, id)
		synctest.Wait()
		if err := o.Trouble(); err != nil {
			t.Errorf("still in trouble: %v", err)
		}
		if !strings.Contains(o.log.String(), "records can be written again") {
			t.Error("nobody was told that it is over")
		}
		if _, err := o.create(); err != nil {
			t.Errorf("create: %v", err)
		}
	})
}

// A lock of another program: who asks waits for it, and not for ever.
func TestLockedStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutage(t)
		defer o.shut(t)
		id := o.spawn(t, "gate go\nexit 3")
		synctest.Wait()
		o.disk.be(locked, 5*time.Second)
		o.fake.Open("go")
		var creates sync.WaitGroup
		for range 50 { // together, not one after the other
			creates.Go(func() {
				began := time.Now()
				if _, err := o.create(); !errors.Is(err, process.ErrUnrecorded) {
					t.Errorf("create: %v", err)
				}
				if took := time.Since(began); took > 12*time.Second {
					t.Errorf("a create waited for %v", took)
				}
			})
		}
		creates.Wait()
		o.disk.be(nil, 0)
		if rec, err := o.Wait(t.Context(), id); err != nil || rec.Exit.Code != 3 {
			t.Errorf("%+v, %v", rec, err)
		}
		if n := o.table.len(); n != 0 {
			t.Errorf("%d in the table", n)
		}
		checkLog(t, o.fixture, id)
	})
}

// A kill is carried out although it cannot be recorded, and is not acknowledged
// before it is.
func TestKillInAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutage(t)
		defer o.shut(t)
		id := o.spawn(t, "hang")
		synctest.Wait()
		o.disk.be(noRoom, 0)
		began := time.Now()
		err := o.Kill(t.Context(), id, KillOptions{})
		if !errors.Is(err, process.ErrUnrecorded) || !strings.Contains(err.Error(), "recorded later") {
			t.Errorf("kill: %v", err)
		}
		if took := time.Since(began); took > 2*ackWithin {
			t.Errorf("it took %v", took)
		}
		if len(o.fake.Executed()) != 1 {
			t.Error("the run was not ended")
		}
		o.disk.be(nil, 0)
		if rec, err := o.Wait(t.Context(), id); err != nil || rec.ExitState != process.ExitCanceled {
			t.Errorf("%+v, %v", rec, err)
		}
		checkLog(t, o.fixture, id)
	})
}

// A short outage refuses what came into it and is no trouble.
func TestHiccup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutage(t)
		defer o.shut(t)
		id := o.spawn(t, "gate go")
		synctest.Wait()
		o.disk.be(noRoom, 0)
		o.fake.Open("go")
		time.Sleep(time.Second)
		if err := o.Trouble(); err != nil {
			t.Errorf("trouble: %v", err)
		}
		o.disk.be(nil, 0)
		if _, err := o.Wait(t.Context(), id); err != nil {
			t.Error(err)
		}
	})
}

// A kernel that closes in an outage ends, and says what it could not store.
func TestCloseInAnOutage(t *testing.T) {
	for _, takes := range []time.Duration{0, 5 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			o := newOutage(t)
			for range 20 {
				o.spawn(t, "hang")
			}
			synctest.Wait()
			o.disk.be(noRoom, takes)
			began := time.Now()
			o.shut(t)
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("closing took %v", took)
			}
			if n := strings.Count(o.log.String(), "could not be written before the end"); n < 1 || n > 20 {
				t.Errorf("%d lines of what was lost:\n%s", n, o.log)
			}
		})
	}
}

// Runs that say more than can be kept wait; memory is bounded. They can be
// killed all the same.
func TestBacklogIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutage(t)
		defer o.shut(t)
		id := o.spawn(t, "gate go")
		synctest.Wait()
		p := o.table.get(id)
		o.journal.most = 500
		o.disk.be(noRoom, 0)
		h := &host{p}
		said := 0
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			for ; said < 1500; said++ {
				h.Output(map[string]any{"n": said})
			}
		}()
		time.Sleep(time.Minute)
		synctest.Wait()
		select {
		case <-stopped:
			t.Error("it was not held up")
		default:
		}
		if n := o.journal.waiting.Load(); n > 510 {
			t.Errorf("%d entries wait", n)
		}
		o.disk.be(nil, 0)
		<-stopped
		o.fake.Open("go")
		if rec, err := o.Wait(t.Context(), id); err != nil || rec.Output["n"] != float64(1499) {
			t.Errorf("%+v, %v", rec.Output, err)
		}
	})
}

// What is deleted or created in the same moment as the store begins to fail is
// answered, too: nothing that was only asked for waits for the end of an outage.
func TestEverybodyIsAnsweredInAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutage(t)
		defer o.shut(t)
		var done []process.ID
		for range 10 {
			id := o.spawn(t, "out x")
			if _, err := o.Wait(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			done = append(done, id)
		}
		// The writer is busy with a slow commit while these gather.
		o.disk.be(locked, time.Second)
		go func() { _, _ = o.create() }()
		synctest.Wait()
		var all sync.WaitGroup
		began := time.Now()
		for _, id := range done {
			all.Go(func() {
				if _, err := o.Delete(t.Context(), id); !errors.Is(err, process.ErrUnrecorded) {
					t.Errorf("delete: %v", err)
				}
			})
			all.Go(func() {
				if _, err := o.create(); !errors.Is(err, process.ErrUnrecorded) {
					t.Errorf("create: %v", err)
				}
			})
		}
		all.Wait()
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("it took %v", took)
		}
		// A batch that begins with what has happened, and goes on with what is asked.
		o.disk.be(nil, 0)
		time.Sleep(time.Minute)
		running := o.spawn(t, "gate go")
		time.Sleep(time.Second)
		o.disk.be(noRoom, 0)
		deleted := make(chan error, 1)
		p := o.table.get(running)
		p.mu.Lock() // both in one batch, in this order
		p.append(&entry{lazy: true}, true, process.WarningDetected{Code: "x"})
		o.journal.add(&entry{exec: func() error { return o.disk.Delete(t.Context(), done[0]) }, done: func(err error) { deleted <- err }})
		p.mu.Unlock()
		select {
		case err := <-deleted:
			if err == nil {
				t.Error("it was deleted")
			}
		case <-time.After(10 * time.Second):
			t.Error("nobody answers")
		}
		o.disk.be(nil, 0)
		o.fake.Open("go")
		if _, err := o.Wait(t.Context(), running); err != nil {
			t.Error(err)
		}
		checkLog(t, o.fixture, running)
	})
}
