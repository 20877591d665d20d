package supervisor_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/envfake"
	"github.com/reeverun/reeve/env/supervisor"
	"github.com/reeverun/reeve/interpret"
	"github.com/reeverun/reeve/kernel"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
	"github.com/reeverun/reeve/store"
	"github.com/reeverun/reeve/store/memory"
)

// world is what outlives hosts: the store, and programs that go on without one.
type world struct {
	t     *testing.T
	store store.Store

	mu   sync.Mutex
	jobs map[jobName]*job
}

type jobName struct {
	id  process.ID
	run int
}

// job is a program that goes on without a host.
type job struct {
	started, ended time.Time
	state          process.ExitState
	paused         bool
	over           chan struct{}
}

func newWorld(t *testing.T) *world {
	return &world{t: t, store: memory.New(), jobs: map[jobName]*job{}}
}

// end ends a program, once.
func (w *world) end(j *job, state process.ExitState) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if j.ended.IsZero() {
		j.ended, j.state = time.Now(), state
		close(j.over)
	}
}

// job returns the program of a process's newest run.
func (w *world) job(id process.ID) (newest *job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for run := 1; w.jobs[jobName{id, run}] != nil; run++ {
		newest = w.jobs[jobName{id, run}]
	}
	return newest
}

// alive counts the programs that run.
func (w *world) alive() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, j := range w.jobs {
		if j.ended.IsZero() {
			n++
		}
	}
	return n
}

// kept is one host's hold on the programs of a world.
type kept struct {
	w       *world
	dead    atomic.Bool   // nothing of what its host does reaches the world any more
	crashed chan struct{} // closed when its host has

	mu   sync.Mutex
	runs map[process.ID]chan struct{} // closed by Kill
	on   map[process.ID]*job
}

var (
	_ env.Reattacher = (*kept)(nil)
	_ env.Pauser     = (*kept)(nil)
)

func (k *kept) Setup(context.Context) error    { return nil }
func (k *kept) Teardown(context.Context) error { return nil }
func (k *kept) Docs() string                   { return "" }
func (k *kept) Forget(process.ID, int)         {}

func (k *kept) Sweep(context.Context, func(process.ID, int) bool) int { return 0 }

func (k *kept) Held(id process.ID, run int) (env.Held, bool) {
	k.w.mu.Lock()
	defer k.w.mu.Unlock()
	j := k.w.jobs[jobName{id, run}]
	if j == nil {
		return env.Held{}, false
	}
	return env.Held{Started: j.started, Ended: j.ended}, true
}

func (k *kept) Kill(id process.ID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if c := k.runs[id]; c != nil {
		delete(k.runs, id)
		close(c)
	}
}

func (k *kept) Pause(_ context.Context, id process.ID, _ bool) error { return k.setPaused(id, true) }
func (k *kept) Resume(id process.ID) error                           { return k.setPaused(id, false) }

func (k *kept) setPaused(id process.ID, paused bool) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if j := k.on[id]; j != nil {
		j.paused = paused
	}
	return nil
}

// Execute begins a program or takes it up. Its code is hang or stubborn.
func (k *kept) Execute(ctx context.Context, in env.Input, h env.Host) (env.Result, error) {
	if context.Cause(ctx) == env.ErrDetached {
		return env.Result{}, env.ErrDetached
	}
	name := jobName{in.EID, in.Run}
	k.w.mu.Lock()
	j := k.w.jobs[name]
	if (j != nil) != in.Reattach {
		k.w.t.Errorf("run %d of process %d is begun twice, or taken up and was not begun", in.Run, in.EID)
	}
	if j == nil {
		j = &job{started: time.Now(), over: make(chan struct{})}
		k.w.jobs[name] = j
	}
	k.w.mu.Unlock()
	killed := make(chan struct{})
	k.mu.Lock()
	k.runs[in.EID], k.on[in.EID] = killed, j
	k.mu.Unlock()
	h.Started(1, process.Enforced{TreeKill: "none", Missing: []string{}})
	asked := ctx.Done()
	for {
		select {
		case <-j.over:
			return env.Result{State: j.state, Exit: &process.Exit{Code: 1, Reason: string(j.state)}, Ended: j.ended}, nil
		case <-asked:
			asked = nil
			switch {
			case context.Cause(ctx) == env.ErrDetached:
				return env.Result{}, env.ErrDetached
			case k.dead.Load():
				<-k.crashed
				return env.Result{State: process.ExitCanceled}, nil
			case in.Spec.Code != "stubborn":
				k.w.end(j, process.ExitCanceled)
			}
		case <-killed:
			if k.dead.Load() {
				<-k.crashed
				return env.Result{State: process.ExitCanceled}, nil
			}
			k.w.end(j, process.ExitCanceled)
			killed = nil
		}
	}
}

// fragile is a store that takes a number of commits, and then no more.
type fragile struct {
	store.Store
	left atomic.Int64
	die  func()
}

var errDisk = errors.New("no more")

func (f *fragile) Apply(ctx context.Context, c []store.Change) error {
	if f.left.Add(-1) < 0 {
		f.die()
		return errDisk
	}
	return f.Store.Apply(ctx, c)
}

// host is one that comes and goes, with supervisors, programs of the world
// ("kept") and programs of its own ("fake").
type host struct {
	*fixture
	kept  *kept
	store *fragile
}

// host opens one; commits is how many it survives.
func (w *world) host(commits int64, change ...func(*kernel.Config)) *host {
	w.t.Helper()
	logs, err := rawlog.New(rawlog.Config{})
	if err != nil {
		w.t.Fatal(err)
	}
	k := &kept{w: w, crashed: make(chan struct{}), runs: map[process.ID]chan struct{}{}, on: map[process.ID]*job{}}
	h := &host{fixture: &fixture{t: w.t, fake: &envfake.Env{}, logs: logs}, kept: k,
		store: &fragile{Store: w.store, die: func() { k.dead.Store(true) }}}
	h.store.left.Store(commits)
	cfg := kernel.Config{
		Store: h.store, Logs: logs, Interpreters: interpret.NewRegistry(), RawOutput: process.MemoryOnly,
		Environments: map[string]kernel.Environment{
			"fake": {Environment: h.fake}, "kept": {Environment: k}, "agent": {Environment: &envfake.Agent{}},
			process.EnvSupervisor: {Environment: supervisor.Kept{Env: supervisor.New(supervisor.Config{Specs: specs(), Random: func() float64 { return 0.5 }})}},
		},
		Grace: time.Second, Retention: kernel.Retention{Every: -1}, KeepQueue: true, SameLogs: true,
	}
	for _, f := range change {
		f(&cfg)
	}
	if h.Kernel, err = kernel.Open(context.Background(), cfg); err != nil {
		w.t.Fatal(err)
	}
	return h
}

// open is a host that survives.
func (w *world) open() *host { return w.host(math.MaxInt64) }

// crash is the sudden end of a host: nothing of what it does now is stored, or
// reaches the world.
func (h *host) crash() {
	h.store.left.Store(0)
	h.kept.dead.Store(true)
	close(h.kept.crashed)
	h.shut()
}

// ends are the ways in which a host ends.
var ends = map[string]func(*host){"crash": (*host).crash, "stop": func(h *host) { h.shut() }}
