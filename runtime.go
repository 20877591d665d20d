package reeve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/command"
	"github.com/reeverun/reeve/env/function"
	"github.com/reeverun/reeve/env/supervisor"
	"github.com/reeverun/reeve/internal/ownerlock"
	"github.com/reeverun/reeve/internal/seal"
	"github.com/reeverun/reeve/interpret"
	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/kernel"
	"github.com/reeverun/reeve/notify"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
	"github.com/reeverun/reeve/store"
	"github.com/reeverun/reeve/store/memory"
)

// Runtime runs processes. Its methods are safe for concurrent use.
type Runtime struct {
	cfg    Config
	kernel *kernel.Kernel
	logs   *rawlog.Logs
	tier   string
	box    *seal.Box
	damage atomic.Pointer[error] // of the database, found since it was opened
	notify *notify.Dispatcher

	closeOnce sync.Once
	closeErr  error
	closers   []func() error // in the order of opening
}

// Open starts a runtime. With a data directory it becomes its only owner;
// processes an earlier owner left queued are run, agents it left paused are
// paused still, what went on without it (see Config.Keep) is taken up, interrupted
// ones are recorded as failed ("host process exited"). Close it.
func Open(ctx context.Context, cfg Config) (*Runtime, error) {
	rt := &Runtime{cfg: cfg.withDefaults()}
	if err := rt.open(ctx); err != nil {
		return nil, errors.Join(err, rt.release())
	}
	return rt, nil
}

func (rt *Runtime) open(ctx context.Context) error {
	st, err := rt.openStore(ctx)
	if err != nil {
		return err
	}
	c := &rt.cfg
	rt.logs, err = rawlog.New(rawlog.Config{Dir: c.LogDir, Cap: c.LogCap, MemoryCap: c.MemoryLogCap})
	if err != nil {
		return fmt.Errorf("open logs: %w", err)
	}
	rt.onClose(rt.logs.Close)
	interpreters, err := rt.interpreters()
	if err != nil {
		return err
	}
	spawner, err := rt.openSpawner(ctx)
	if err != nil {
		return err
	}
	rt.tier = string(spawner.Tier())
	// It outlives the kernel, which has more to tell until it has closed.
	rt.notify, err = notify.Open(ctx, notify.Config{Store: st, Agent: c.UserAgent, Volatile: !c.durable(), Logger: c.Logger})
	if err != nil {
		return err
	}
	rt.onClose(rt.notify.Close)
	rt.kernel, err = kernel.Open(ctx, kernel.Config{
		Store: st, Logs: rt.logs, Interpreters: interpreters, Environments: rt.environments(spawner),
		RawOutput: c.RawOutput, Grace: c.Grace, Drain: c.Drain, MaxActive: c.MaxActive, MaxTree: c.MaxTree,
		Tools: c.Tools, ToolTimeout: c.ToolTimeout, ApprovalLife: c.ApprovalLife,
		SubscriberBuffer: c.SubscriberBuffer, KeepQueue: c.durable(), EndRunning: c.EndRunning, SameLogs: c.sameLogs(), Retention: c.Retention,
		Observe: c.Observe, Notify: rt.notify.Tell, Logger: c.Logger,
	})
	if err != nil {
		return err
	}
	rt.onClose(rt.kernel.Close)
	return c.noteBoot()
}

func (rt *Runtime) openSpawner(ctx context.Context) (keeper.Spawner, error) {
	c := &rt.cfg
	if c.Spawner != nil {
		return c.Spawner, nil
	}
	if c.Keep != nil && c.durable() {
		kept, err := c.Keep(ctx)
		if err != nil {
			return nil, err
		}
		if kept != nil {
			rt.onClose(kept.Close)
			return kept, nil
		}
	}
	own, err := keeper.NewInProcess(keeper.Options{Name: c.Dir, Tier: c.Tier, NoGroup: c.NoProcessGroup})
	if err != nil {
		return nil, fmt.Errorf("start spawner: %w", err)
	}
	rt.onClose(own.Close)
	return own, nil
}

func (rt *Runtime) openStore(ctx context.Context) (store.Store, error) {
	if !rt.cfg.durable() {
		box, err := seal.Ephemeral()
		if err != nil {
			return nil, err
		}
		rt.box = box
		st := memory.New()
		rt.onClose(st.Close)
		return st, nil
	}
	lock, err := ownerlock.Acquire(rt.cfg.Dir)
	if err != nil {
		return nil, err
	}
	rt.onClose(lock.Close)
	box, err := seal.Open(rt.cfg.Dir + "/key")
	if err != nil {
		return nil, err
	}
	rt.box = box
	return rt.openDatabase(ctx)
}

func (rt *Runtime) interpreters() (*interpret.Registry, error) {
	r := interpret.NewRegistry()
	if rt.cfg.RulesDir != "" {
		if err := r.LoadDir(rt.cfg.RulesDir); err != nil {
			return nil, err
		}
	}
	for name, make := range rt.cfg.Interpreters {
		if err := r.Register(name, make); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// commands is the environment of commands, which go on without this runtime if
// their spawner can keep them.
func commands(s keeper.Spawner, private []string) env.Environment {
	if l, ok := s.(keeper.Lasting); ok {
		return command.NewKept(l, private...)
	}
	return command.New(s, private...)
}

// supervisors is an environment of supervisors, which go on under the next runtime
// where commands do.
func supervisors(e env.Environment, s keeper.Spawner) env.Environment {
	own, ok := e.(*supervisor.Env)
	if _, lasting := s.(keeper.Lasting); ok && lasting {
		return supervisor.Kept{Env: own}
	}
	return e
}

func (rt *Runtime) environments(s keeper.Spawner) map[string]kernel.Environment {
	c := &rt.cfg
	all := map[string]kernel.Environment{
		process.EnvCommand:  {Environment: commands(s, c.private()), Slots: c.Concurrency},
		process.EnvFunction: {Environment: function.New(c.functions())},
		process.EnvSupervisor: {Environment: supervisor.New(supervisor.Config{Specs: api.Specs{
			Environment: process.EnvCommand, Functions: true}})},
	}
	for name, e := range c.Environments {
		all[name] = kernel.Environment{Environment: e}
	}
	for name, e := range all {
		if name == process.EnvSupervisor {
			e.Environment = supervisors(e.Environment, s)
		}
		if n, ok := c.Slots[name]; ok {
			e.Slots = n
		}
		e.Timeout, e.Heartbeat = c.DefaultTimeout[name], c.Heartbeat[name]
		all[name] = e
	}
	return all
}

func (rt *Runtime) onClose(f func() error) { rt.closers = append(rt.closers, f) }

func (rt *Runtime) release() (err error) {
	for i := len(rt.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, rt.closers[i]())
	}
	return err
}

// Stop stops accepting processes and ends what runs: SIGTERM to each tree,
// SIGKILL after the grace. Queued processes of a durable runtime stay queued
// for the next one, paused agents paused, and commands and supervisors go on if
// there is a keeper (Config.Keep), unless EndRunning; others are canceled. It
// returns when that is done; what there is can still be read. Close follows.
func (rt *Runtime) Stop() { rt.kernel.Stop() }

// Close is Stop, and releases the runtime. It may be called again.
func (rt *Runtime) Close() error {
	rt.closeOnce.Do(func() { rt.closeErr = rt.release() })
	return rt.closeErr
}

// Drain stops accepting processes, waits for what runs, and closes. When ctx is
// over first, what still runs is ended as by Close.
func (rt *Runtime) Drain(ctx context.Context) error {
	err := rt.kernel.Drain(ctx)
	return errors.Join(err, rt.Close())
}

// Finish is Drain for a program whose place another takes, and does not close: it
// returns when what would end with this runtime has ended by itself, or ctx is
// over. Close follows, and leaves commands that can go on to the next runtime,
// also with EndRunning.
func (rt *Runtime) Finish(ctx context.Context) error { return rt.kernel.Finish(ctx) }

// Closing reports whether the runtime takes no more work.
func (rt *Runtime) Closing() bool { return rt.kernel.Closing() }

// Trouble says why nothing can be recorded at the moment, as an error that
// matches process.ErrUnrecorded: the disk is full, the database locked or
// damaged. Nil if all is well. What runs goes on meanwhile, what happens is
// recorded later, and new processes are refused.
func (rt *Runtime) Trouble() error {
	if err := rt.damage.Load(); err != nil {
		return *err
	}
	return rt.kernel.Trouble()
}

// Spawn creates a process and queues it. It returns when the record is durable.
func (rt *Runtime) Spawn(ctx context.Context, t *Task) (*Handle, error) {
	r, err := rt.request(t)
	if err != nil {
		return nil, err
	}
	id, err := rt.kernel.Spawn(ctx, r)
	if err != nil {
		return nil, err
	}
	return &Handle{rt, id}, nil
}

// SpawnOnce is Spawn for a Task with a Key: if the same was asked for with the
// same key within a day it returns that process, and created is false. The same
// key with another request is ErrKeyConflict.
func (rt *Runtime) SpawnOnce(ctx context.Context, t *Task) (h *Handle, created bool, err error) {
	r, err := rt.request(t)
	if err != nil {
		return nil, false, err
	}
	if r.Spec.Key.Name == "" {
		return nil, false, process.Invalid("key", "is empty: use Spawn")
	}
	id, created, err := rt.kernel.SpawnOnce(ctx, r)
	if err != nil {
		return nil, false, err
	}
	return &Handle{rt, id}, created, nil
}

// Digest identifies what was asked for, as the request of a Key. It is keyed
// with the data directory's secret, so that what is stored tells nothing of
// secrets in the request.
func (rt *Runtime) Digest(request []byte) string { return rt.box.Digest(request) }

func (rt *Runtime) request(t *Task) (kernel.Request, error) {
	if t.err != nil {
		return kernel.Request{}, t.err
	}
	s := t.clone()
	if rt.cfg.LogDir == "" && (s.RawOutput == Persist || s.RawOutput == PersistGzipOnFinalize) {
		return kernel.Request{}, process.Invalid("rawOutput", "%s needs a log directory: set Config.Dir or Config.LogDir", s.RawOutput)
	}
	if rt.cfg.ShowWindows && s.Command != nil {
		s.Command.HideWindow = false
	}
	r := kernel.Request{Spec: s, Interpreter: t.interpreter, Parked: t.parked}
	switch {
	case t.fn != nil:
		r.Payload = t.fn
	case t.family != nil:
		code, payload, err := t.family.describe(rt)
		if err != nil {
			return kernel.Request{}, err
		}
		r.Spec.Code, r.Payload = code, payload
	}
	return r, nil
}

// Run queues a new run of an idle process; earlier runs are kept. A process
// that has outputs needs Force. With Resume an agent goes on from the last step
// it finished, in whatever way its run ended; other environments refuse that.
func (rt *Runtime) Run(ctx context.Context, id ID, o RunOptions) (*Handle, error) {
	if err := rt.kernel.Run(ctx, id, o); err != nil {
		return nil, err
	}
	return &Handle{rt, id}, nil
}

// Cancel asks a process to end and returns at once; Wait tells when it has.
// A queued process never starts. A finished one is nil.
func (rt *Runtime) Cancel(id ID) error { return rt.kernel.Cancel(context.Background(), id) }

// Kill is Cancel with a choice of how. A finished process is ErrAlreadyIdle.
func (rt *Runtime) Kill(ctx context.Context, id ID, o KillOptions) error {
	return rt.kernel.Kill(ctx, id, o)
}

// Signal sends a signal to a running process, and with Tree to what runs below
// it. It returns when what it changed is durable, with the number of processes
// affected: pausing a paused one affects none. SIGTERM and SIGINT leave the
// verdict to the program. A process that is idle or queued is ErrNotRunning.
func (rt *Runtime) Signal(ctx context.Context, id ID, s Signal, o SignalOptions) (affected int, err error) {
	return rt.kernel.Signal(ctx, id, s, o)
}

// SigBlock has a signal to a process wait, for this run, until SigUnblock
// delivers it: once, however often it came. SIGKILL cannot be blocked: that is
// ErrInvalid. A process that is idle is ErrNotRunning.
func (rt *Runtime) SigBlock(ctx context.Context, id ID, s Signal) error {
	return rt.kernel.SigBlock(ctx, id, s)
}

// SigUnblock lets a signal through again, and delivers one that is pending.
func (rt *Runtime) SigUnblock(ctx context.Context, id ID, s Signal) error {
	return rt.kernel.SigUnblock(ctx, id, s)
}

// SigHandle has f called with a signal to a process instead of what it does
// else, for this run; nil is the default again. Handlers of a process are called
// one at a time, in order. SIGKILL cannot be handled: that is ErrInvalid.
func (rt *Runtime) SigHandle(ctx context.Context, id ID, s Signal, f func(Signal)) error {
	return rt.kernel.SigHandle(ctx, id, s, f)
}

// Trace follows the kernel calls of a process's newest run: what it asks for and
// what is done to it, with timing, until it is reaped. A process that is idle is
// ErrNotRunning. Close it.
func (rt *Runtime) Trace(ctx context.Context, id ID) (*Trace, error) {
	return rt.kernel.Trace(ctx, id)
}

// Pause holds a running process where it stands, and its clock and timeout with
// it. A paused process stays in the state running. It may be called again.
func (rt *Runtime) Pause(ctx context.Context, id ID) error {
	_, err := rt.kernel.Signal(ctx, id, SIGPAUSE, SignalOptions{})
	return err
}

// Resume lets a paused process go on. It may be called again.
func (rt *Runtime) Resume(ctx context.Context, id ID) error {
	_, err := rt.kernel.Signal(ctx, id, SIGRESUME, SignalOptions{})
	return err
}

// Process returns a process with its newest run.
func (rt *Runtime) Process(ctx context.Context, id ID) (*Process, error) {
	return rt.kernel.Process(ctx, id)
}

// Processes returns a page of processes, newest first.
func (rt *Runtime) Processes(ctx context.Context, q Query) (Page, error) {
	return rt.kernel.Processes(ctx, q)
}

// Overview tells how all processes are, in numbers.
func (rt *Runtime) Overview(ctx context.Context) (process.Overview, error) {
	return rt.kernel.Overview(ctx)
}

// Runs returns all runs of a process, newest first.
func (rt *Runtime) Runs(ctx context.Context, id ID) ([]Run, error) { return rt.kernel.Runs(ctx, id) }

// Usage returns what a run used as time went by; run 0 is the newest one.
func (rt *Runtime) Usage(ctx context.Context, id ID, run int) (process.UsageSeries, error) {
	return rt.kernel.Usage(ctx, id, run)
}

// Findings returns what interpreters found, newest first.
func (rt *Runtime) Findings(ctx context.Context, q FindingQuery) ([]process.FoundFinding, error) {
	return rt.kernel.Findings(ctx, q)
}

// Wait returns the outcome of a process's newest run, when it has one. Any
// number of callers may wait, before or after the end.
func (rt *Runtime) Wait(ctx context.Context, id ID) (Outcome, error) {
	rec, err := rt.Await(ctx, id)
	if err != nil {
		return Outcome{}, err
	}
	return *rec.Outcome, nil
}

// Await is Wait for the whole record.
func (rt *Runtime) Await(ctx context.Context, id ID) (*Process, error) {
	return rt.kernel.Wait(ctx, id)
}

// Subscribe follows all processes from now on. Read it or Close it.
func (rt *Runtime) Subscribe(f Filter) *Subscription { return rt.kernel.Subscribe(-1, f) }

// SubscribeAfter follows all processes from after an event's cursor.
func (rt *Runtime) SubscribeAfter(cursor int64, f Filter) *Subscription {
	return rt.kernel.Subscribe(max(cursor, 0), f)
}

// SubscribeProcess follows one process from after a seq (0: from its
// beginning): what is stored, then live, to the end of its newest run.
func (rt *Runtime) SubscribeProcess(ctx context.Context, id ID, after int64) (*Subscription, error) {
	return rt.kernel.SubscribeProcess(ctx, id, after)
}

// SubscribeKinds is SubscribeProcess for some kinds of events.
func (rt *Runtime) SubscribeKinds(ctx context.Context, id ID, after int64, f KindFilter) (*Subscription, error) {
	return rt.kernel.SubscribeKinds(ctx, id, after, f)
}

// Transcript returns at most limit messages of what an agent and its model said
// to each other, in all its runs, after a number. They are kept as long as their
// process is. A process that is not an agent has none.
func (rt *Runtime) Transcript(ctx context.Context, id ID, after int64, limit int) ([]Message, error) {
	return rt.kernel.Transcript(ctx, id, after, limit)
}

// Events returns about limit events of a process after a seq.
func (rt *Runtime) Events(ctx context.Context, id ID, after int64, limit int) ([]Event, error) {
	return rt.kernel.Events(ctx, id, after, limit)
}

// EventPage returns events of a process that a query selects. Where it leaves out
// lines of output they are not even read.
func (rt *Runtime) EventPage(ctx context.Context, id ID, q EventQuery) (EventPage, error) {
	return rt.kernel.EventPage(ctx, id, q)
}

// WriteOutput copies the exact bytes of a stream to w; run 0 is the newest.
// What a cap dropped is shown as "[reeve: N bytes dropped]"; output that was
// not kept is ErrNotKept.
func (rt *Runtime) WriteOutput(ctx context.Context, w io.Writer, id ID, run int, s Stream) (int64, error) {
	out, err := rt.OpenOutput(ctx, id, run)
	if err != nil {
		return 0, err
	}
	defer out.Close()
	stream := RawStream(s)
	return out.Copy(w, stream, 0, out.Size(stream))
}

// OpenOutput opens the output of a run for reading at any offset; run 0 is the
// newest. Close it.
func (rt *Runtime) OpenOutput(ctx context.Context, id ID, run int) (Output, error) {
	return rt.kernel.OpenOutput(ctx, id, run)
}

// FollowOutput copies a stream's bytes from an offset on to w, as they are
// written, and returns when the run is over and all was copied. flush, if there
// is one, is called when there is nothing more for now.
func (rt *Runtime) FollowOutput(ctx context.Context, w io.Writer, flush func() error, id ID, run int, s Stream, from int64) error {
	return rt.kernel.Follow(ctx, w, flush, id, run, RawStream(s), from)
}

// RawStream is the log of a stream, for the methods of an Output.
func RawStream(s Stream) rawlog.Stream { return kernel.StreamOf(s) }

// AllEvents returns about limit events of all processes after a cursor.
func (rt *Runtime) AllEvents(ctx context.Context, cursor int64, limit int) ([]Event, error) {
	return rt.kernel.AllEvents(ctx, cursor, limit)
}

// EnvironmentInfo says what an environment is like.
type EnvironmentInfo struct {
	Name    string
	Slots   int           // runs at a time; 0: no limit
	Timeout time.Duration // of processes that name none; 0: none
	Docs    string        // how to write code for it, in Markdown
}

// Environments tells what can be run in, by name.
func (rt *Runtime) Environments() []EnvironmentInfo {
	var all []EnvironmentInfo
	for name, e := range rt.kernel.Environments() {
		all = append(all, EnvironmentInfo{name, e.Slots, e.Timeout, e.Docs()})
	}
	slices.SortFunc(all, func(a, b EnvironmentInfo) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// TreeKill names the tier of tree control that holds commands.
func (rt *Runtime) TreeKill() string { return rt.tier }

// Delete removes an idle process with its events and logs, and returns what it
// was.
func (rt *Runtime) Delete(ctx context.Context, id ID) (*Process, error) {
	return rt.kernel.Delete(ctx, id)
}

// Prune removes events and logs that are past their retention, now instead of
// on schedule.
func (rt *Runtime) Prune(ctx context.Context) (Pruned, error) {
	return rt.kernel.Prune(ctx, time.Now())
}

// PruneAs is Prune by another retention than the configured one.
func (rt *Runtime) PruneAs(ctx context.Context, r Retention) (Pruned, error) {
	return rt.kernel.PruneAs(ctx, time.Now(), r)
}
