package kernel

import (
	"context"
	"sync/atomic"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/interpret"
	"github.com/reeverun/reeve/process"
)

// Request is a process to create.
type Request struct {
	Spec process.Spec
	// Interpreter, if set, is used for this run instead of Spec.Interpreter.
	Interpreter interpret.Interpreter
	// Payload goes to the environment with this run; it is not stored.
	Payload any
	// Parked creates the process idle; Run starts it later.
	Parked bool

	tree *atomic.Int64 // it is counted there already
}

// Spawn creates a process and, unless parked, queues its first run. It returns
// when the record is durable; the environment is called after that, unless it is
// an env.Enclosed one, whose run may begin meanwhile.
func (k *Kernel) Spawn(ctx context.Context, r Request) (process.ID, error) {
	e, err := k.admit(ctx, &r)
	if err != nil {
		return 0, err
	}
	seat, err := k.enroll(ctx, &r.Spec)
	if err != nil {
		return 0, err
	}
	rec, err := k.reserve(ctx, r)
	if err != nil {
		k.ledger.giveUp(seat, true)
		return 0, err
	}
	defer k.creating.Done()
	defer k.unreserve(rec.Ref)
	p := newProc(k, rec, e)
	p.seat = seat
	p.interpreter, p.payload, p.tree = r.Interpreter, r.Payload, r.tree
	if r.Parked {
		err = k.park(p)
		k.ledger.giveUp(seat, err != nil)
		if err == nil {
			p.observe(ctx, Created)
		}
		return p.id, err
	}
	if err = k.enter(ctx, p, true, env.Again{}); err != nil {
		k.ledger.uncount(seat)
	}
	return p.id, err
}

// park stores a process without a run.
func (k *Kernel) park(p *proc) error {
	committed := make(chan error, 1)
	p.mu.Lock()
	p.append(&entry{create: true, asked: true, done: func(err error) { committed <- err }}, true, p.createdEvent())
	p.mu.Unlock()
	return <-committed
}

// enter stores a run as queued, and starts it at once if a slot is free. A
// claimed run may have been started by the time its host dies, so it is never
// started again by the next one.
func (k *Kernel) enter(ctx context.Context, p *proc, create bool, a env.Again) error {
	k.runs.Add(1)
	committed := make(chan error, 1)
	e := &entry{create: create, asked: true, done: func(err error) { committed <- err }}
	above := k.lineage(context.WithoutCancel(ctx), p.rec.Parent)
	// The lock is taken before anybody can reach the run: whoever does finds
	// it queued, and its create in the journal.
	p.mu.Lock()
	parent, alive, doomed := k.table.add(p, above...)
	// A child of a running process takes no slot: its parent may be waiting
	// for it while holding one.
	claimed := alive || p.env.pool.take()
	var events []process.Payload
	if create {
		events = append(events, p.createdEvent())
	} else if p.rec.Number > 0 {
		e.change = archive(p.rec.Run)
	}
	p.rec.Run = process.Run{Number: p.rec.Number + 1, Captured: p.rec.RawOutput, Resumed: p.resumed}
	p.rec.State = process.Queued
	p.rec.Claimed = claimed
	p.slot = claimed && !alive
	early := create && claimed && parent == nil && !doomed && p.mayStartEarly()
	if early {
		born := make(chan struct{})
		p.born = born
		e.done = func(err error) {
			p.unborn.Store(err != nil) // before what the run wrote meanwhile is looked at
			if err == nil {
				p.observe(ctx, Created) // before it is seen to start
			}
			close(born)
			committed <- err
		}
	}
	p.append(e, true, append(events, process.ProcessQueued{})...)
	spawned := process.ChildSpawned{Child: p.id, Run: p.rec.Number, Restart: a.Restart, Because: a.Because}
	p.mu.Unlock()
	if early {
		k.start(p)
	}

	err := <-committed // the commit is short, and its result decides what is true
	switch {
	case err != nil && early:
		p.stop(process.ErrCanceled, KillOptions{Now: true}, nil)
		return err
	case err != nil:
		p.freeSlot()
		p.over(true)
		return err
	}
	if create && !early {
		p.observe(ctx, Created)
	}
	if parent != nil {
		parent.note(spawned)
	}
	if doomed { // its parent is being killed with all that is below it
		p.stop(process.ErrCanceled, KillOptions{}, nil)
	}
	if why := p.overdrawn(); why != "" { // since it was admitted
		p.stop(process.ErrBudget, KillOptions{why: why}, nil)
	}
	switch {
	case early:
	case claimed:
		k.start(p)
	default:
		p.env.pool.push(p)
		p.dropIfStopped()
	}
	return nil
}

// claim marks a queued run as possibly started, durably. One that has a slot is
// then started; one that is claimed ahead waits for a slot.
func (k *Kernel) claim(p *proc, ahead bool) {
	p.mu.Lock()
	p.slot = !ahead
	if !p.queued() { // killed in the queue, or left to the next host
		k.unclaim(p, ahead)
		return
	}
	p.rec.Claimed, p.rec.Ahead = true, ahead
	p.append(&entry{done: func(err error) {
		p.mu.Lock()
		if err != nil { // it may not start; the next host finds it queued
			k.unclaim(p, ahead)
			p.over(true)
			return
		}
		if !ahead {
			p.mu.Unlock()
			k.start(p)
			return
		}
		p.env.pool.claimed(p, p.queued())
		p.mu.Unlock()
		p.env.pool.dispatch()
	}}, true)
	p.mu.Unlock()
}

// unclaim gives back what was taken for a run that will not start, and lets
// another one have it; p.mu is held, and released.
func (k *Kernel) unclaim(p *proc, ahead bool) {
	if ahead {
		p.env.pool.claimed(p, false)
	}
	p.mu.Unlock()
	p.freeSlot()
	if ahead {
		p.env.pool.dispatch()
	}
}

// begin starts a run that was claimed ahead, once its log exists: that is how
// the next host knows that it was started.
func (k *Kernel) begin(p *proc) {
	p.mu.Lock()
	p.slot = true
	p.mu.Unlock()
	if _, err := (&host{p}).File(process.Stdout); err != nil {
		k.claim(p, false) // no mark: say so in the store instead
		return
	}
	k.start(p)
}

// mayClaimAhead reports whether the next host can tell if a run was started.
func (k *Kernel) mayClaimAhead(p *proc) bool {
	return k.cfg.KeepQueue && policy(p.rec.RawOutput).OnDisk() // a Spec does not change
}

func (p *proc) createdEvent() process.Payload {
	c := process.ProcessCreated{Environment: p.rec.Environment, Tags: p.rec.Tags}
	if p.rec.Label != "" {
		c.Label = &p.rec.Label
	}
	if p.rec.Parent != 0 {
		parent := p.rec.Parent
		c.Parent = &parent
	}
	if c.Tags == nil {
		c.Tags = []string{}
	}
	return c
}

// RunOptions says how a process is run again.
type RunOptions struct {
	Force  bool // although it has outputs
	Resume bool // go on from its transcript, where the environment can; implies Force

	again env.Again // by its parent
}

// Run queues a new run of an idle process. What the run before it left is
// kept as an earlier run; Force says that this is wanted.
func (k *Kernel) Run(ctx context.Context, id process.ID, o RunOptions) error {
	_, err := k.run(ctx, id, o)
	return answered(ctx, "Run", id, err)
}

// run is Run, and returns the number of the new run.
func (k *Kernel) run(ctx context.Context, id process.ID, o RunOptions) (int, error) {
	if k.closing.Load() {
		return 0, process.ErrClosed
	}
	if z := k.table.get(id); z != nil && z.view.Load().Lifecycle == process.LifecycleZombie {
		k.reapNow(ctx, z)
	}
	if !k.table.hold(id) {
		return 0, k.notIdle(ctx, id)
	}
	defer k.table.release(id)
	rec, err := k.cfg.Store.Process(ctx, id)
	if err != nil {
		return 0, err
	}
	if rec.HasOutputs() && !o.Force && !o.Resume {
		return 0, process.ErrHasOutputs
	}
	e, ok := k.envs[rec.Environment]
	if !ok {
		return 0, process.Errorf(process.CodeNoEnvironment, "the environment %q is not available", rec.Environment)
	}
	if o.Resume && !e.resumable() {
		return 0, process.Invalid("resume", "process %d cannot go on where it ended: its environment %q always begins anew", id, e.name)
	}
	seat, err := k.reenroll(ctx, rec)
	if err != nil {
		return 0, err
	}
	if err := k.room(); err != nil {
		k.ledger.giveUp(seat, false)
		return 0, err
	}
	defer k.creating.Done()
	p := newProc(k, rec, e)
	p.resumed, p.payload, p.earlier, p.seat = o.Resume, o.again.Payload, rec.Output, seat
	return rec.Number + 1, k.enter(ctx, p, false, o.again)
}

// room admits one more active process; the caller ends k.creating when it is
// in the table.
func (k *Kernel) room() error {
	k.spawning.Lock()
	defer k.spawning.Unlock()
	if k.closing.Load() {
		return process.ErrClosed
	}
	if n := k.cfg.MaxActive; n > 0 && k.active.Load() >= int64(n) {
		return process.Errorf(process.CodeTooMany, "%d processes are active: that is the limit", n)
	}
	k.creating.Add(1)
	k.active.Add(1)
	return nil
}

// notIdle says why an id could not be held.
func (k *Kernel) notIdle(ctx context.Context, id process.ID) error {
	if _, err := k.Process(ctx, id); err != nil {
		return err
	}
	return process.ErrNotIdle
}

// await returns what arrives, or the context's error. What is awaited happens
// all the same.
func await(ctx context.Context, c <-chan error) error {
	select {
	case err := <-c:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
