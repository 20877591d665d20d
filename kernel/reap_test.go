package kernel

import (
	"context"
	"io"
	"slices"
	"sync"
	"testing"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/envfake"
	"github.com/reeverun/reeve/process"
)

var allSteps = []string{"orphans", "cancel", "wait", "debug", "context", "dead", "remove"}

// reaper sees the steps of every reap as they are done.
type reaper struct {
	*rig
	mu    sync.Mutex
	steps []reapStep
	on    func(id process.ID, step string) // called at each, if set
}

type reapStep struct {
	id   process.ID
	step string
}

func newReaper(t *testing.T, slots int) *reaper {
	r := &reaper{}
	r.rig = newRig(t, slots, func(c *Config) {
		c.reaping = func(id process.ID, step string) {
			r.mu.Lock()
			r.steps = append(r.steps, reapStep{id, step})
			on := r.on
			r.mu.Unlock()
			if on != nil {
				on(id, step)
			}
		}
	})
	return r
}

// of are the steps of one process so far.
func (r *reaper) of(id process.ID) (steps []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.steps {
		if s.id == id {
			steps = append(steps, s.step)
		}
	}
	return steps
}

// index is when a step was done, among all; -1 if it was not.
func (r *reaper) index(id process.ID, step string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Index(r.steps, reapStep{id, step})
}

// told are the steps that the process's reaped events carry.
func (r *reaper) told(t testingT, id process.ID) (told [][]string) {
	t.Helper()
	events, err := r.Events(context.Background(), id, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, ev := range events {
		if d, ok := ev.Data.(process.Reaped); ok {
			told = append(told, d.Steps)
		}
	}
	return told
}

func (r *reaper) wantReaped(t *testing.T, id process.ID, steps ...string) {
	t.Helper()
	if !eventually(func() bool { return slices.Contains(r.of(id), "remove") }) {
		t.Fatalf("process %d is not reaped: %v", id, r.of(id))
	}
	if got := r.of(id); !slices.Equal(got, steps) {
		t.Errorf("process %d: done %v", id, got)
	}
	if told := r.told(t, id); len(told) != 1 || !slices.Equal(told[0], steps) {
		t.Errorf("process %d: told %v", id, told)
	}
	if r.table.get(id) != nil {
		t.Errorf("process %d is in the table", id)
	}
}

// What each step stands for has happened when it is done, and what the next ones
// stand for has not.
func TestReapDoesItsSteps(t *testing.T) {
	r := newReaper(t, 0)
	id := r.start(t, 0, "gate end\nout x")
	r.await(t, id, "running", isRunning)
	child := r.start(t, id, "hang")
	r.await(t, child, "running", isRunning)
	p := r.table.get(id)
	trace, err := r.Trace(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	wantNil(t, r.SigBlock(t.Context(), id, process.SIGINT))
	seen := map[string]func(){
		"orphans": func() {
			if r.table.parentOf(r.table.get(child)) != nil {
				t.Error("orphans: the child has its parent")
			}
		},
		"cancel": func() {},
		"wait":   func() { p.calls.Wait() },
		"debug": func() {
			var last process.Syscall
			for {
				c, err := trace.Next(t.Context())
				if err == io.EOF {
					break
				}
				last = c
			}
			if last.Call != "Reap" {
				t.Errorf("debug: the trace ended with %+v", last)
			}
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.log == nil || p.sig == nil {
				t.Error("debug: the context is gone already")
			}
		},
		"context": func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.log != nil || p.pump != nil || p.sig != nil {
				t.Error("context: it is not released")
			}
			if p.rec.Lifecycle != process.LifecycleRunning {
				t.Errorf("context: %s", p.rec.Lifecycle)
			}
		},
		"dead": func() { // under the lock
			if p.rec.Lifecycle != process.LifecycleDead {
				t.Errorf("dead: %s", p.rec.Lifecycle)
			}
			if p.view.Load().State == process.Idle {
				t.Error("dead: it is shown before it is stored")
			}
		},
		"remove": func() {
			if r.table.get(id) != nil {
				t.Error("remove: it is in the table")
			}
			if len(r.told(t, id)) != 1 {
				t.Error("remove: the event is not stored")
			}
		},
	}
	r.mu.Lock()
	r.on = func(of process.ID, step string) {
		if of == id {
			seen[step]()
		}
	}
	r.mu.Unlock()
	r.fake.Open("end")
	if _, err := r.Wait(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	r.wantReaped(t, id, allSteps...)
}

// A zombie that is held for its parent is reaped when that waits for it.
func TestZombieIsReapedByItsWait(t *testing.T) {
	r := newReaper(t, 0)
	parent := r.start(t, 0, "hang")
	r.await(t, parent, "running", isRunning)
	child := r.start(t, parent, "out x")
	r.await(t, child, "a zombie", isZombie)
	if got := r.of(child); got != nil {
		t.Errorf("nobody has waited, and %v were done", got)
	}
	rec, err := r.Wait(t.Context(), child)
	if err != nil || rec.Lifecycle != process.LifecycleDead {
		t.Errorf("%+v, %v", rec, err)
	}
	r.wantReaped(t, child, allSteps...)
}

func TestConcurrentReapsAreOne(t *testing.T) {
	r := newReaper(t, 0)
	parent := r.start(t, 0, "gate end")
	r.await(t, parent, "running", isRunning)
	for range 20 {
		child := r.start(t, parent, "")
		r.await(t, child, "a zombie", isZombie)
		p := r.table.get(child)
		var wg sync.WaitGroup
		for i := range 10 {
			wg.Go(func() {
				switch i % 3 {
				case 0:
					r.reapNow(context.Background(), p)
				case 1:
					r.adopt(parent, []*proc{p})
				default:
					if _, err := r.Wait(context.Background(), child); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		r.wantReaped(t, child, allSteps...)
	}
}

// A parent that ends with a running, a zombie and a dead child: the running one
// goes to init, the zombie is reaped before its parent goes on, and the dead one
// is not touched. Then init reaps what it inherited.
func TestReapOfAParentWithMixedChildren(t *testing.T) {
	r := newReaper(t, 0)
	parent := r.start(t, 0, "gate end")
	r.await(t, parent, "running", isRunning)
	running := r.start(t, parent, "gate later")
	var zombies []process.ID
	for range 5 {
		zombies = append(zombies, r.start(t, parent, ""))
	}
	dead := r.start(t, parent, "")
	if _, err := r.Wait(t.Context(), dead); err != nil {
		t.Fatal(err)
	}
	for _, id := range zombies {
		r.await(t, id, "a zombie", isZombie)
	}
	r.await(t, running, "running", isRunning)
	trace, err := r.Trace(t.Context(), running)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	r.fake.Open("end")
	if _, err := r.Wait(t.Context(), parent); err != nil {
		t.Fatal(err)
	}
	r.wantReaped(t, parent, allSteps...)
	for _, id := range zombies {
		r.wantReaped(t, id, allSteps...)
		if r.index(id, "dead") > r.index(parent, "orphans") {
			t.Error("the parent went on before its zombie was reaped")
		}
	}
	r.wantReaped(t, dead, allSteps...)
	if r.index(dead, "remove") > r.index(parent, "orphans") {
		t.Error("the dead one was reaped with its parent")
	}
	if call, err := trace.Next(t.Context()); err != nil || call.Call != "Reparent" || call.Args["from"] != parent || call.Args["to"] != 0 {
		t.Errorf("%+v, %v", call, err)
	}
	r.fake.Open("later")
	r.wantReaped(t, running, allSteps...) // by init: nobody waits for it
	reparented := 0
	events, err := r.Events(t.Context(), running, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, ev := range events {
		if d, ok := ev.Data.(process.Reparented); ok {
			reparented++
			if d != (process.Reparented{From: parent, To: 0}) {
				t.Errorf("%+v", d)
			}
		}
	}
	if reparented != 1 {
		t.Errorf("reparented %d times", reparented)
	}
}

// One that was killed in the queue never ran: it is released all the same, and
// its children go to init.
func TestReapOfTheQueued(t *testing.T) {
	r := newReaper(t, 1)
	busy := r.start(t, 0, "hang")
	r.await(t, busy, "running", isRunning)
	queued := r.start(t, 0, "hang")
	child := r.start(t, queued, "hang")
	wantNil(t, r.Kill(t.Context(), queued, KillOptions{Alone: true}))
	rec, err := r.Wait(t.Context(), queued)
	if err != nil || rec.ExitState != process.ExitCanceled || !rec.StartedAt.IsZero() {
		t.Errorf("%+v, %v", rec, err)
	}
	r.wantReaped(t, queued, allSteps...)
	if r.table.parentOf(r.table.get(child)) != nil {
		t.Error("the child has its parent")
	}
	if got := r.fake.Executed(); !slices.Equal(got, []process.ID{busy}) {
		t.Errorf("executed %v", got)
	}
}

// One that was given up on is not waited for, and the event does not say it was.
func TestReapOfTheHung(t *testing.T) {
	r := newReaper(t, 0)
	id := r.start(t, 0, "deaf")
	r.await(t, id, "running", isRunning)
	p := r.table.get(id)
	wantNil(t, r.Kill(t.Context(), id, KillOptions{Now: true}))
	p.resolve(env.Result{}, errHung, false) // what the give-up timer does
	r.wantReaped(t, id, "orphans", "cancel", "debug", "context", "dead", "remove")
}

// What an earlier host left as zombies has no parent here: it is reaped when the
// next one opens.
func TestReapOfAnEarlierHostsZombies(t *testing.T) {
	first := newReaper(t, 0)
	parent := first.start(t, 0, "hang")
	first.await(t, parent, "running", isRunning)
	child := first.start(t, parent, "")
	first.await(t, child, "a zombie", isZombie)
	var steps []string
	next, err := Open(t.Context(), Config{Store: first.st.Store, Logs: first.cfg.Logs, Interpreters: first.cfg.Interpreters,
		Environments: map[string]Environment{"fake": {Environment: &envfake.Env{}}}, RawOutput: process.MemoryOnly, Retention: Retention{Every: -1},
		reaping: func(id process.ID, step string) {
			if id == child {
				steps = append(steps, step)
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	if rec, err := next.Process(t.Context(), child); err != nil || !isDead(rec) || !slices.Equal(steps, allSteps) {
		t.Errorf("%+v, %v: %v", rec, err, steps)
	}
	first.st.apply = func(func() error) error { return nil } // the dead write nothing
	wantNil(t, next.Close())
}
