// Package command is the environment that runs operating system programs. It
// builds what the keeper needs from a spec, hands the child the run's log
// files, and sees the whole tree to its end.
//
// A run ends when its leader has exited and its tree is empty. Descendants
// that outlive the leader get the drain time, then SIGTERM, the grace and
// SIGKILL; or, with leftovers "wait", as long as they like. What survives even
// the kill is named in the result.
package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/process"
)

// killWait bounds the wait for a killed tree. The keeper tries for less long.
const killWait = 12 * time.Second

// Env runs commands.
type Env struct {
	spawner keeper.Spawner
	kept    keeper.Lasting // the same, if commands outlive it; else nil
	private []string       // what no confined command gets to write, nor a sandboxed one to see

	mu   sync.Mutex
	runs map[process.ID]*run
}

// run is one command, from before it is spawned to the end of its tree.
type run struct {
	life  context.Context // over when the run goes on without this host
	leave context.CancelCauseFunc

	mu     sync.Mutex
	job    keeper.Job    // nil until it is spawned
	turn   chan struct{} // holds one while somebody writes to its input; nil: nobody did yet
	killed chan struct{}
	once   sync.Once

	pausing sync.Mutex // held while the tree is frozen or thawed; guards ending
	ending  bool       // it shall end: no more pauses
	wait    allowance
}

var (
	_ env.Environment = (*Env)(nil)
	_ env.Signaler    = (*Env)(nil)
	_ env.Pauser      = (*Env)(nil)
	_ env.Counter     = (*Env)(nil)
	_ env.Meter       = (*Env)(nil)
	_ env.Enforcer    = (*Env)(nil)
	_ env.Interactor  = (*Env)(nil)
)

// New makes the environment. The spawner stays the caller's to close. private
// are folders of the host's own: no confined or sandboxed command works there.
func New(s keeper.Spawner, private ...string) *Env {
	private = slices.Clone(private)
	for i, p := range private {
		if abs, err := filepath.Abs(p); err == nil {
			private[i] = abs
		}
	}
	return &Env{spawner: s, private: private, runs: map[process.ID]*run{}}
}

// Setup does nothing: the spawner is ready.
func (e *Env) Setup(context.Context) error { return nil }

// Docs tells how to run a command.
func (e *Env) Docs() string { return docs }

// Execute runs one command.
func (e *Env) Execute(ctx context.Context, in env.Input, h env.Host) (env.Result, error) {
	if context.Cause(ctx) == env.ErrDetached {
		return env.Result{}, env.ErrDetached
	}
	if ctx.Err() != nil && !in.Reattach {
		return env.Result{State: process.ExitCanceled}, nil
	}
	r, err := e.enter(in.EID)
	if err != nil {
		return env.Result{}, err
	}
	defer e.exit(in.EID, r)

	cmd := commandOf(in.Spec)
	var job keeper.Job
	var out *output
	aside(func() { job, out, err = e.begin(ctx, r, cmd, in, h) })
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return env.Result{State: process.ExitCanceled}, nil // asked to end before it began
	}
	if err != nil {
		return env.Result{}, err
	}
	if e.kept == nil {
		defer job.Release()
	}
	defer context.AfterFunc(ctx, func() { r.ask(ctx) })()
	if !in.Reattach {
		defer r.typeStdin(cmd, job)()
	}
	// This is where a run spends its life: what is on the stack here is what
	// a parked process costs.
	exit, err := job.Wait(r.life)
	if err = e.lost(r, err); err != nil && err != env.ErrLost {
		return env.Result{}, err
	}
	return e.end(ctx, r, job, out, cmd, exit, err, in, h)
}

// aside calls f on a stack of its own. A stack that has grown for a moment stays
// so: of a run that waits for days, what its start needed would be half of all
// the memory it takes.
func aside(f func()) {
	over := make(chan any)
	go func() {
		defer func() { over <- recover() }()
		grow()
		f()
	}()
	if failed := <-over; failed != nil {
		panic(failed)
	}
}

// grow makes the stack large enough for a start in one step, while there is
// next to nothing on it to be copied.
//
//go:noinline
func grow() {
	var room [20 << 10]byte
	runtime.KeepAlive(&room)
}

// begin starts the program, or takes it up.
func (e *Env) begin(ctx context.Context, r *run, cmd *process.Command, in env.Input, h env.Host) (keeper.Job, *output, error) {
	if in.Reattach {
		job, err := e.adopt(ctx, r, in, h)
		return job, &output{}, err
	}
	r.reserveInput(cmd)
	start, done := undetached(ctx)
	defer done()
	job, out, err := e.spawn(start, r, cmd, in, h)
	switch {
	case err == nil || ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
	case errors.Is(err, keeper.ErrLost) && e.kept != nil: // it may have run for a moment
		err = env.ErrLost
	case errors.Is(err, keeper.ErrTakenOver):
		err = env.ErrDetached
	default:
		err = &env.SpawnError{Err: explain(err)}
	}
	return job, out, err
}

// end sees the tree to its end after the leader's; lost says that nobody knows
// how that was.
func (e *Env) end(ctx context.Context, r *run, job keeper.Job, out *output, cmd *process.Command, exit keeper.Exit, lost error, in env.Input, h env.Host) (env.Result, error) {
	var res env.Result
	if lost == nil {
		res = result(cmd, exit)
		h.Exited(*res.Exit)
	}
	wanted := r.wasKilled()
	var err error
	res.Survivors, err = r.empty(ctx, job, cmd.Leftovers, h.Timing())
	if e.lost(r, err) == env.ErrDetached {
		return env.Result{}, env.ErrDetached
	}
	out.finish()
	u := job.Usage()
	res.Usage = process.Usage{CPUMS: u.CPU.Milliseconds(), MaxRSSBytes: u.MaxRSS}
	if in.Reattach {
		res.Ended = infoOf(job).Exited
	}
	if lost != nil {
		return res, lost
	}
	return limited(res, job.Killed(), wanted, &in.Spec.Options)
}

// spawn starts the program on the run's log files, and says so.
func (e *Env) spawn(ctx context.Context, r *run, cmd *process.Command, in env.Input, h env.Host) (keeper.Job, *output, error) {
	spec := keeper.Spec{Name: name(in.EID, in.Run),
		Path: cmd.Program, Args: splitScript(cmd.Program, cmd.Args), Dir: cmd.Dir, HideWindow: cmd.HideWindow}
	if err := e.bound(&spec, cmd, &in.Spec.Options); err != nil {
		return nil, nil, err
	}
	stdin, closeStdin, err := openStdin(cmd)
	if err != nil {
		return nil, nil, fmt.Errorf("prepare stdin: %w", err)
	}
	defer closeStdin()
	out, err := openOutput(h, cmd.MergeStreams || cmd.PTY)
	if err != nil {
		return nil, nil, fmt.Errorf("open output: %w", err)
	}
	spec.Stdin, spec.Stdout, spec.Stderr = stdin, out.child[0], out.child[1]
	connect(&spec, cmd)
	job, err := e.spawner.Spawn(ctx, spec)
	out.closeChild()
	if err != nil {
		out.finish()
		return nil, nil, err
	}
	r.attach(job) // first: who hears that it started may signal it
	h.Started(job.PID(), e.enforced(job))
	out.start(h)
	return job, out, nil
}

// empty returns when the tree is, with what could not be ended, or with the
// reason why that cannot be told.
func (r *run) empty(ctx context.Context, job keeper.Job, l process.Leftovers, t env.Timing) ([]process.Survivor, error) {
	if l != process.WaitLeftovers && ctx.Err() == nil && r.drain(ctx, job, t) {
		return nil, nil
	}
	// From here on the end comes by itself, by the host's Kill, or by ours.
	giveUp, cancel := context.WithCancel(r.life)
	defer cancel()
	go func() {
		select {
		case <-r.killed:
		case <-giveUp.Done():
			return
		}
		timer := time.NewTimer(killWait)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel()
		case <-giveUp.Done():
		}
	}()
	err := job.WaitEmpty(giveUp)
	if err == nil {
		return nil, nil
	}
	if giveUp.Err() != nil && r.life.Err() == nil {
		err = keeper.ErrLost // it was waited for long enough
	}
	return job.Members(), err
}

// drain gives leftovers their time, then asks, then kills. It reports whether
// the tree is empty. When the host is ending the run, it escalates itself.
func (r *run) drain(ctx context.Context, job keeper.Job, t env.Timing) bool {
	if r.waitFor(ctx, job, t.Drain) {
		return true
	}
	if ctx.Err() == nil && r.life.Err() == nil {
		_, _ = job.Signal(process.SIGTERM)
		if r.waitFor(ctx, job, t.Grace) {
			return true
		}
	}
	if ctx.Err() == nil && r.life.Err() == nil {
		r.kill()
	}
	return false
}

// waitFor reports whether the tree is empty within d, pauses not counted.
func (r *run) waitFor(ctx context.Context, job keeper.Job, d time.Duration) bool {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.life, cancel)()
	defer r.wait.begin(d, cancel)()
	return job.WaitEmpty(ctx) == nil
}

// Signal passes a signal on to the whole tree.
func (e *Env) Signal(eid process.ID, s process.Signal) error {
	job := e.job(eid)
	if job == nil {
		return nil
	}
	if n, err := job.Signal(s); n == 0 { // else it has reached whom it could
		return err
	}
	return nil
}

// Members counts the living processes of a command's tree.
func (e *Env) Members(eid process.ID) int {
	switch job := e.job(eid).(type) {
	case nil:
		return 0
	case keeper.Countable:
		return job.Count()
	default:
		return len(job.Members())
	}
}

// CPU is the processor time that a command's tree has used so far.
func (e *Env) CPU(eid process.ID) time.Duration {
	if job := e.job(eid); job != nil {
		return job.Usage().CPU
	}
	return 0
}

// Sample is what a command's tree uses at the moment.
func (e *Env) Sample(eid process.ID) (env.Sample, bool) {
	job := e.job(eid)
	if job == nil {
		return env.Sample{}, false
	}
	u := job.Usage()
	return env.Sample{CPU: u.CPU, RSS: u.RSS, PIDs: u.PIDs}, u.PIDs > 0 || u.CPU > 0
}

// job is that of a run, or nil if it has none, or not yet.
func (e *Env) job(eid process.ID) keeper.Job {
	if r := e.find(eid); r != nil {
		return r.attached()
	}
	return nil
}

// Kill ends a command and all its descendants.
func (e *Env) Kill(eid process.ID) {
	if r := e.find(eid); r != nil {
		r.kill()
	}
}

// Teardown kills what still runs.
func (e *Env) Teardown(context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range e.runs {
		r.kill()
	}
	return nil
}

func (e *Env) enter(eid process.ID) (*run, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.runs[eid] != nil {
		return nil, fmt.Errorf("process %d is already running", eid)
	}
	r := &run{killed: make(chan struct{})}
	r.life, r.leave = context.WithCancelCause(context.Background())
	e.runs[eid] = r
	return r, nil
}

func (e *Env) exit(eid process.ID, r *run) {
	r.leave(nil)
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.runs, eid)
}

func (e *Env) find(eid process.ID) *run {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.runs[eid]
}

// attach gives the run its job; a kill that came before takes effect now.
func (r *run) attach(job keeper.Job) {
	r.mu.Lock()
	r.job = job
	r.mu.Unlock()
	select {
	case <-r.killed:
		job.Kill()
	default:
	}
}

func (r *run) kill() {
	r.once.Do(func() { close(r.killed) })
	if job := r.attached(); job != nil {
		job.Kill()
	}
}

// attached is the run's job, or nil if it has none yet.
func (r *run) attached() keeper.Job {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.job
}

// result is what the leader's exit means for the run.
func result(cmd *process.Command, x keeper.Exit) env.Result {
	exit := process.Exit{Code: x.Code, Signal: x.Signal}
	switch {
	case x.Signal != "":
		exit.Reason = "signal: " + syscall.Signal(x.Code-128).String()
	case x.Code == 0:
		exit.Reason = process.ReasonCompleted
	default:
		exit.Reason = fmt.Sprintf("exit status %d", x.Code)
	}
	res := env.Result{State: process.ExitFailed, Exit: &exit}
	if cmd.Succeeds(x.Code) {
		res.State = process.ExitSuccess
	}
	return res
}
