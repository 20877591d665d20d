package kernel

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/envfake"
	"github.com/reeverun/reeve/interpret"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
	"github.com/reeverun/reeve/store"
	"github.com/reeverun/reeve/store/memory"
)

// hooked is a store whose calls can be intercepted.
type hooked struct {
	store.Store
	apply     func(next func() error) error
	process   func()
	allEvents func()
	looks     atomic.Int64 // how often RunsAfter was asked
}

func (h *hooked) RunsAfter(ctx context.Context, cursor int64) ([]store.RunRef, error) {
	h.looks.Add(1)
	return h.Store.RunsAfter(ctx, cursor)
}

func (h *hooked) Apply(ctx context.Context, c []store.Change) error {
	next := func() error { return h.Store.Apply(ctx, c) }
	if h.apply != nil {
		return h.apply(next)
	}
	return next()
}

func (h *hooked) Process(ctx context.Context, id process.ID) (*process.Process, error) {
	if f := h.process; f != nil {
		h.process = nil
		f()
	}
	return h.Store.Process(ctx, id)
}

func (h *hooked) AllEvents(ctx context.Context, after int64, limit int) ([]process.Event, error) {
	if f := h.allEvents; f != nil {
		h.allEvents = nil
		f()
	}
	return h.Store.AllEvents(ctx, after, limit)
}

type rig struct {
	*Kernel
	fake *envfake.Env
	st   *hooked
}

// diskLogs are logs in files; they are closed after a rig that is made later.
func diskLogs(t *testing.T) *rawlog.Logs {
	t.Helper()
	logs, err := rawlog.New(rawlog.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = logs.Close() })
	return logs
}

func newRig(t *testing.T, slots int, change func(*Config)) *rig {
	t.Helper()
	logs, err := rawlog.New(rawlog.Config{})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{fake: &envfake.Env{}, st: &hooked{Store: memory.New()}}
	cfg := Config{
		Store: r.st, Logs: logs, Interpreters: interpret.NewRegistry(), RawOutput: process.MemoryOnly,
		Environments: map[string]Environment{"fake": {Environment: r.fake, Slots: slots}},
		Grace:        10 * time.Millisecond, Retention: Retention{Every: -1},
	}
	if change != nil {
		change(&cfg)
	}
	if r.Kernel, err = Open(context.Background(), cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.fake.Release()
		done := make(chan struct{})
		go func() { defer close(done); _ = r.Close() }()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			t.Error("Close hangs")
		}
	})
	return r
}

func (r *rig) start(t *testing.T, parent process.ID, script string) process.ID {
	t.Helper()
	id, err := r.Spawn(context.Background(), Request{Spec: process.Spec{Environment: "fake", Code: script, Parent: parent}})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func (r *rig) rec(t *testing.T, id process.ID) *process.Process {
	t.Helper()
	rec, err := r.Process(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func eventually(f func() bool) bool {
	for range 200 {
		if f() {
			return true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

func (r *rig) await(t *testing.T, id process.ID, what string, f func(*process.Process) bool) {
	t.Helper()
	if !eventually(func() bool { return f(r.rec(t, id)) }) {
		rec := r.rec(t, id)
		t.Fatalf("process %d is never %s: state %s, lifecycle %s", id, what, rec.State, rec.Lifecycle)
	}
}

func isZombie(p *process.Process) bool  { return p.Lifecycle == process.LifecycleZombie }
func isDead(p *process.Process) bool    { return p.Lifecycle == process.LifecycleDead }
func isRunning(p *process.Process) bool { return p.State == process.Running }

// A zombie below a zombie is never reaped: adopt does not orphan what it reaps.
func TestGrandchildZombieIsReaped(t *testing.T) {
	r := newRig(t, 0, nil)
	p := r.start(t, 0, "gate p")
	r.await(t, p, "running", isRunning)
	c := r.start(t, p, "gate c")
	r.await(t, c, "running", isRunning)
	g := r.start(t, c, "out g")
	r.await(t, g, "a zombie", isZombie)
	r.fake.Open("c")
	r.await(t, c, "a zombie", isZombie)
	r.fake.Open("p")
	r.await(t, p, "dead", isDead)
	r.await(t, c, "dead", isDead)
	r.await(t, g, "dead", isDead)
}

// A zombie child of a queued process that is killed is never reaped; and a
// child of a process that is only queued takes no slot.
func TestZombieOfKilledQueuedParent(t *testing.T) {
	r := newRig(t, 1, nil)
	a := r.start(t, 0, "gate a")
	r.await(t, a, "running", isRunning)
	p := r.start(t, 0, "out p") // queued: the only slot is taken
	c := r.start(t, p, "out c")
	time.Sleep(50 * time.Millisecond)
	if rec := r.rec(t, c); rec.State != process.Queued {
		t.Errorf("child of a queued process ran without a slot: state %s lifecycle %s", rec.State, rec.Lifecycle)
	}
	if err := r.Kill(t.Context(), p, KillOptions{}); err != nil {
		t.Fatal(err)
	}
	r.await(t, p, "dead", isDead)
	r.await(t, c, "dead", isDead)
}

// The parent ends between heldForParent and the child's end being recorded.
func TestHeldForParentRace(t *testing.T) {
	r := newRig(t, 0, nil)
	pid := r.start(t, 0, "gate p")
	r.await(t, pid, "running", isRunning)
	cid := r.start(t, pid, "gate c")
	r.await(t, cid, "running", isRunning)
	p, c := r.table.get(pid), r.table.get(cid)
	const settle = 30 * time.Millisecond

	p.mu.Lock()
	r.fake.Open("c")
	time.Sleep(settle) // c stands in heldForParent, at parent.ended
	c.mu.Lock()
	p.mu.Unlock()
	time.Sleep(settle) // c has seen its parent alive and waits for c.mu
	r.fake.Open("p")
	time.Sleep(settle) // p has orphaned c and waits for c.mu in adopt
	c.mu.Unlock()
	c.mu.Lock() // makes the mutex hand over in order
	time.Sleep(settle)
	c.mu.Unlock()

	r.await(t, pid, "dead", isDead)
	r.await(t, cid, "dead", isDead)
}

// A kill between table.add and the create's entry.
func TestKillBeforeCreateIsJournalled(t *testing.T) {
	r := newRig(t, 1, nil)
	pool := r.envs["fake"].pool
	pool.mu.Lock()
	spawned := make(chan error, 1)
	go func() {
		_, err := r.Spawn(context.Background(), Request{Spec: process.Spec{Environment: "fake", Code: "hang"}})
		spawned <- err
	}()
	if !eventually(func() bool { return r.table.get(1) != nil }) {
		t.Fatal("not entered")
	}
	killed := make(chan error, 1)
	go func() { killed <- r.Kill(context.Background(), 1, KillOptions{}) }()
	time.Sleep(30 * time.Millisecond) // the kill holds p.mu and waits for the pool
	pool.mu.Unlock()
	t.Logf("kill: %v, spawn: %v", <-killed, <-spawned)
	time.Sleep(50 * time.Millisecond)
	rec := r.rec(t, 1)
	t.Logf("state %s lifecycle %s exit %v; executed %v; in table: %v", rec.State, rec.Lifecycle, rec.Exit, r.fake.Executed(), r.table.get(1) != nil)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = r.Kill(ctx, 1, KillOptions{Now: true})
	if rec, err := r.Wait(ctx, 1); err != nil || rec.Outcome == nil {
		t.Errorf("the process can be neither killed nor waited for: %v", err)
	}
}

// A kill of a process whose create fails.
func TestKillWhileCreateFails(t *testing.T) {
	r := newRig(t, 0, nil)
	entered, release := make(chan struct{}), make(chan struct{})
	var n atomic.Int64
	r.st.apply = func(next func() error) error {
		if n.Add(1) == 1 {
			close(entered)
			<-release
			return errors.New("disk full")
		}
		return next()
	}
	spawned := make(chan error, 1)
	go func() {
		_, err := r.Spawn(context.Background(), Request{Spec: process.Spec{Environment: "fake", Code: "hang"}})
		spawned <- err
	}()
	<-entered
	killed := make(chan error, 1)
	go func() { killed <- r.Kill(context.Background(), 1, KillOptions{}) }()
	time.Sleep(30 * time.Millisecond)
	close(release)
	t.Logf("spawn: %v", <-spawned)
	t.Logf("kill: %v", <-killed)
}

func TestMaxActiveIsABound(t *testing.T) {
	r := newRig(t, 0, func(c *Config) { c.MaxActive = 1 })
	var wg sync.WaitGroup
	var ok atomic.Int64
	for range 400 {
		wg.Go(func() {
			if _, err := r.Spawn(context.Background(), Request{Spec: process.Spec{Environment: "fake", Code: "hang"}}); err == nil {
				ok.Add(1)
			}
		})
	}
	wg.Wait()
	if ok.Load() != 1 {
		t.Errorf("%d processes are active, the limit is 1", ok.Load())
	}
}

func TestZombiesAreNotActive(t *testing.T) {
	r := newRig(t, 0, func(c *Config) { c.MaxActive = 2 })
	p := r.start(t, 0, "gate p")
	r.await(t, p, "running", isRunning)
	c := r.start(t, p, "out c")
	r.await(t, c, "a zombie", isZombie)
	if _, err := r.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "fake", Code: "out d", Parent: p}}); err != nil {
		t.Errorf("one process is active, the limit is 2: %v", err)
	}
}

// Drain waits for a process that was being created and is queued on a closed pool.
func TestDrainReturns(t *testing.T) {
	r := newRig(t, 1, func(c *Config) { c.KeepQueue = true })
	a := r.start(t, 0, "gate a")
	r.await(t, a, "running", isRunning)
	entered, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	r.st.apply = func(next func() error) error {
		once.Do(func() { close(entered); <-release })
		return next()
	}
	spawned := make(chan error, 1)
	go func() {
		_, err := r.Spawn(context.Background(), Request{Spec: process.Spec{Environment: "fake", Code: "out b"}})
		spawned <- err
	}()
	<-entered
	drained := make(chan error, 1)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	go func() { drained <- r.Drain(ctx) }()
	time.Sleep(30 * time.Millisecond)
	close(release)
	if err := <-spawned; err != nil {
		t.Fatal(err)
	}
	r.fake.Open("a")
	if err := <-drained; err != nil {
		t.Errorf("nothing runs, b is kept queued, but Drain waits: %v", err)
	}
}

// A slot comes free while the kernel closes: the queued run that was popped is
// marked as claimed after it was dropped.
func TestDroppedRunIsNotClaimed(t *testing.T) {
	r := newRig(t, 1, func(c *Config) { c.KeepQueue = true })
	pool := r.envs["fake"].pool
	popped, goOn := make(chan struct{}), make(chan struct{})
	claim := pool.claim
	pool.ahead = nil
	pool.claim = func(p *proc, ahead bool) { close(popped); <-goOn; claim(p, ahead) }
	a := r.start(t, 0, "gate a")
	r.await(t, a, "running", isRunning)
	b := r.start(t, 0, "out b")
	gate := make(chan struct{})
	go r.fake.Open("a")
	<-popped                                                             // by the run of a, which frees its slot
	r.st.apply = func(next func() error) error { <-gate; return next() } // the commit takes its time
	closed := make(chan struct{})
	go func() { defer close(closed); _ = r.Close() }()
	p := r.table.get(b)
	if !eventually(func() bool { p.mu.Lock(); defer p.mu.Unlock(); return p.dropped }) {
		t.Fatal("not dropped")
	}
	close(goOn)
	time.Sleep(30 * time.Millisecond)
	close(gate)
	<-closed
	rec, err := r.st.Process(t.Context(), b)
	if err != nil || rec.State != process.Queued || rec.Claimed {
		t.Errorf("b never started; state %s, claimed %v: the next host will call it interrupted (%v)", rec.State, rec.Claimed, err)
	}
}

// A prompt on stdout while stderr is busy.
func TestPartialShownWhileOtherStreamIsBusy(t *testing.T) {
	w := &writerEnv{run: func(ctx context.Context, h env.Host) {
		_ = h.Write(process.Stdout, []byte("password: "))
		for range 300 {
			_ = h.Write(process.Stderr, []byte("tick\n"))
			time.Sleep(3 * time.Millisecond)
		}
	}}
	r := newRig(t, 0, func(c *Config) { c.Environments["w"] = Environment{Environment: w} })
	id, err := r.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "w", Code: "x"}})
	if err != nil {
		t.Fatal(err)
	}
	sub, err := r.SubscribeProcess(t.Context(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for ev := range sub.All(t.Context()) {
		if o, ok := ev.Data.(process.OutputAppended); ok && o.Stream == process.Stdout {
			if !o.Partial || time.Since(began) > 500*time.Millisecond {
				t.Errorf("the prompt was shown after %v, partial %v", time.Since(began), o.Partial)
			}
			return
		}
	}
	t.Error("the prompt was never shown")
}

// writerEnv runs a Go function with its host.
type writerEnv struct {
	run   func(ctx context.Context, h env.Host)
	early func()
}

func (*writerEnv) Setup(context.Context) error    { return nil }
func (*writerEnv) Docs() string                   { return "" }
func (*writerEnv) Kill(process.ID)                {}
func (*writerEnv) Teardown(context.Context) error { return nil }
func (w *writerEnv) Execute(ctx context.Context, in env.Input, h env.Host) (env.Result, error) {
	if w.early != nil {
		w.early()
	}
	h.Started(0, process.Enforced{})
	w.run(ctx, h)
	return env.Result{State: process.ExitSuccess}, nil
}

// lostEnv writes a line and loses sight of its run before it could say that it
// had started.
type lostEnv struct{ writerEnv }

func (*lostEnv) Execute(_ context.Context, _ env.Input, h env.Host) (env.Result, error) {
	out, err := h.File(process.Stdout)
	if err != nil {
		return env.Result{}, err
	}
	_, err = out.WriteString("it ran\n")
	return env.Result{}, errors.Join(env.ErrLost, err)
}

// What a run wrote is told, also if nobody knows that it started.
func TestOutputOfALostStart(t *testing.T) {
	logs := diskLogs(t)
	r := newRig(t, 0, func(c *Config) {
		c.Logs, c.RawOutput = logs, process.Persist
		c.Environments["lost"] = Environment{Environment: &lostEnv{}}
	})
	id, err := r.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "lost"}})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := r.Wait(t.Context(), id)
	if err != nil || rec.Error != process.ErrHostExited || rec.StdoutBytes != 7 {
		t.Fatalf("%+v, %v", rec, err)
	}
	events, err := r.Events(t.Context(), id, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, ev := range events {
		if d, ok := ev.Data.(process.OutputAppended); ok && d.Line == "it ran" {
			return
		}
	}
	t.Errorf("its line is not among its events: %v", events)
}

// Partial lines count nothing, so the window never drops them.
func TestWindowBoundsPartials(t *testing.T) {
	f := newFeed(16, 0, 0)
	f.join()
	for range 10_000 {
		f.publish([]*item{{seq: 1, cursor: 1, live: true, events: make([]process.Event, 1)}})
	}
	if n := len(f.state.Load().items); n > 1000 {
		t.Errorf("a window of 16 events holds %d items", n)
	}
}

// What was published after the subscription is read from the log, not from the window.
func TestWindowIsUsedForWhatItHolds(t *testing.T) {
	r := newRig(t, 0, func(c *Config) { c.RawOutput = process.Disabled })
	id := r.start(t, 0, "gate g\nout one\nout two")
	r.await(t, id, "running", isRunning)
	sub, err := r.SubscribeProcess(t.Context(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	all := r.Subscribe(0, Filter{})
	r.fake.Open("g")
	if _, err := r.Wait(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	n := 0
	for ev := range sub.All(t.Context()) {
		if ev.Kind == process.KindOutputAppended {
			n++
		}
	}
	if n != 2 {
		t.Errorf("a live subscriber got %d of 2 lines", n)
	}
	n = 0
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	for ev := range all.All(ctx) {
		if ev.Kind == process.KindOutputAppended || ev.Kind == process.KindOutputElided {
			n++
		}
	}
	if n == 0 {
		t.Errorf("a live subscriber to all got neither lines nor output_elided")
	}
}

// finalized ends a stream, also of a child reaped later.
func TestStreamEndsAtFinalized(t *testing.T) {
	r := newRig(t, 0, nil)
	p := r.start(t, 0, "gate p")
	r.await(t, p, "running", isRunning)
	c := r.start(t, p, "out c")
	live, err := r.SubscribeProcess(t.Context(), c, 0)
	if err != nil {
		t.Fatal(err)
	}
	r.await(t, c, "a zombie", isZombie)
	if _, err := r.Wait(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	late, err := r.SubscribeProcess(t.Context(), c, 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, sub := range map[string]*Subscription{"live": live, "late": late} {
		var last process.Kind
		for ev := range sub.All(t.Context()) {
			last = ev.Kind
		}
		if last != process.KindFinalized {
			t.Errorf("the %s stream ends with %s", name, last)
		}
	}
}

// A survivor that goes on writing keeps the run from ending.
func TestSurvivorCannotHoldTheEnd(t *testing.T) {
	stop := make(chan struct{})
	var wg sync.WaitGroup
	w := &writerEnv{run: func(ctx context.Context, h env.Host) {
		f, err := h.File(process.Stdout)
		if err != nil || f == nil {
			return
		}
		for range 3 {
			fd, err := os.OpenFile("/proc/self/fd/"+itoa(int(f.Fd())), os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				panic(err)
			}
			chunk := bytes.Repeat([]byte("still here\n"), 1000)
			wg.Go(func() {
				defer fd.Close()
				for {
					select {
					case <-stop:
						return
					default:
						_, _ = fd.Write(chunk)
					}
				}
			})
		}
		time.Sleep(20 * time.Millisecond)
	}}
	r := newRig(t, 0, func(c *Config) { c.Environments["w"] = Environment{Environment: w} })
	id, err := r.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "w", Code: "x"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := r.Wait(ctx, id); err != nil {
		t.Errorf("Execute has returned, the run does not end: %v", err)
	}
	close(stop)
	wg.Wait()
}

func itoa(n int) string { return process.ID(n).String() }

// A page of all events leaves out lines whose events it has.
func TestAllEventsHasNoHole(t *testing.T) {
	r := newRig(t, 0, nil)
	id := r.start(t, 0, "gate g\nout line")
	r.await(t, id, "running", isRunning)
	done := r.table.get(id).done
	r.st.allEvents = func() {
		r.fake.Open("g")
		<-done
	}
	page, err := r.AllEvents(t.Context(), 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var ks []process.Kind
	next := int64(1)
	for _, ev := range page {
		ks = append(ks, ev.Kind)
		if ev.Cursor != next {
			t.Errorf("cursor %d (%s) where %d was due", ev.Cursor, ev.Kind, next)
		}
		next = ev.Cursor + 1
	}
	t.Log(ks)
}

// A replay of everything has each event once, in order, and does not look for
// all runs again with each page.
func TestReplayOfAllLooksOnce(t *testing.T) {
	logs := diskLogs(t)
	r := newRig(t, 0, func(c *Config) { c.Logs, c.RawOutput = logs, process.Persist })
	script := strings.Repeat("out line\nerr other\n", 40)
	for range 40 {
		if _, err := r.Wait(t.Context(), r.start(t, 0, script)); err != nil {
			t.Fatal(err)
		}
	}
	parked := r.start(t, 0, script+"gate g") // and one that goes on
	r.await(t, parked, "its lines", func(p *process.Process) bool { return p.State == process.Running })
	_, end := r.events.last()
	for _, from := range []int64{0, 1, end / 2, end - 700} {
		r.st.looks.Store(0)
		sub := r.Subscribe(from, Filter{})
		for next := from + 1; next <= end; next++ {
			ev, err := sub.Next(t.Context())
			if err != nil || ev.Cursor != next {
				t.Fatalf("cursor %d (%s, %v) where %d was due", ev.Cursor, ev.Kind, err, next)
			}
		}
		sub.Close()
		if n := r.st.looks.Load(); n > 2 {
			t.Errorf("from %d: it looked for runs %d times", from, n)
		}
	}
	r.fake.Open("g")
}

// A re-run begins between the look at the table and the look at the store.
func TestWaitSeesRerun(t *testing.T) {
	r := newRig(t, 0, nil)
	id := r.start(t, 0, "out x")
	if _, err := r.Wait(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	r.st.process = func() {
		if err := r.Run(context.Background(), id, RunOptions{Force: true}); err != nil {
			t.Error(err)
		}
	}
	if _, err := r.Wait(t.Context(), id); err != nil {
		t.Errorf("the process runs or has run: %v", err)
	}
}

// A kill before Started: terminating with lifecycle created.
func TestTerminatingIsRunning(t *testing.T) {
	in, out := make(chan struct{}), make(chan struct{})
	w := &writerEnv{early: func() { close(in); <-out }, run: func(ctx context.Context, h env.Host) {}}
	r := newRig(t, 0, func(c *Config) { c.Environments["w"] = Environment{Environment: w} })
	id, err := r.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "w", Code: "x"}})
	if err != nil {
		t.Fatal(err)
	}
	<-in
	if err := r.Kill(t.Context(), id, KillOptions{}); err != nil {
		t.Fatal(err)
	}
	if rec := r.rec(t, id); rec.State == process.Terminating && rec.Lifecycle != process.LifecycleRunning {
		t.Errorf("state %s, lifecycle %s", rec.State, rec.Lifecycle)
	}
	close(out)
}

func TestDeletedParentIsNull(t *testing.T) {
	r := newRig(t, 0, nil)
	p := r.start(t, 0, "gate p")
	r.await(t, p, "running", isRunning)
	c := r.start(t, p, "gate c")
	r.fake.Open("p")
	if _, err := r.Wait(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Delete(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if rec := r.rec(t, c); rec.Parent != 0 {
		t.Errorf("parent is %d, which is deleted", rec.Parent)
	}
}
