package kernel

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/interpret"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
)

// recovery is what an earlier host left behind.
type recovery struct {
	cursor      int64                             // the highest one used
	all         []*taken                          // by id, so parents first; each is one of the next four
	queued      []*taken                          // accepted and never started: they run
	left        []*taken                          // and can go on, or do: they are taken up
	interrupted []*taken                          // may have been started: they are never re-run
	zombies     []*taken                          // over, held for parents that are gone
	waited      map[process.ID][]process.Approval // pending approvals
}

// unseenCursors is skipped when a run with untraceable lines was interrupted:
// more than it can have used, and nothing against what an int64 holds.
const unseenCursors = 1 << 40

// findUnsettled reads what was not over, and how far its numbers went. Nothing
// is changed yet.
func (k *Kernel) findUnsettled(ctx context.Context, cursor int64) (recovery, error) {
	r := recovery{cursor: cursor}
	all, err := k.cfg.Store.Unsettled(ctx)
	if err != nil {
		return r, err
	}
	if r.waited, err = k.stranded(ctx); err != nil {
		return r, err
	}
	last, err := k.cfg.Store.LastSeqs(ctx)
	if err != nil {
		return r, err
	}
	r.all = make([]*taken, len(all))
	cursors := make([]int64, len(all))
	err = onAllCores(len(all), func(i int) (err error) {
		rec := all[i]
		rec.LastSeq, cursors[i] = k.lastNumbers(rec, max(rec.LastSeq, last[rec.ID]), cursor)
		if r.all[i], err = k.find(ctx, rec); err != nil {
			err = fmt.Errorf("process %d: %w", rec.ID, err)
		}
		return err
	})
	if err != nil {
		return r, err
	}
	for i, t := range r.all {
		rec := t.rec
		r.cursor = max(r.cursor, cursors[i])
		if rec.State != process.Idle && !policy(rec.RawOutput).OnDisk() {
			// Lines that left no trace have had cursors, too.
			r.cursor = max(r.cursor, cursor+unseenCursors)
		}
		switch {
		case rec.State == process.Idle:
			r.zombies = append(r.zombies, t)
		case t.goesOn:
			r.left = append(r.left, t)
		case rec.State == process.Queued && k.notStarted(rec):
			rec.Claimed, rec.Ahead = false, false
			r.queued = append(r.queued, t)
		default:
			r.interrupted = append(r.interrupted, t)
		}
	}
	return r, nil
}

// onAllCores calls f with each number below n, several at a time, and returns
// what went wrong first. Ten thousand runs are taken up before anybody is
// answered, and each needs files to be looked at.
func onAllCores(n int, f func(i int) error) error {
	var next atomic.Int64
	var once sync.Once
	var failed error
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := f(i); err != nil {
					once.Do(func() { failed = err })
					next.Store(int64(n))
				}
			}
		})
	}
	workers.Wait()
	return failed
}

// notStarted reports whether a queued run of an earlier host was certainly not
// started.
func (k *Kernel) notStarted(rec *process.Process) bool {
	if !rec.Claimed {
		return true
	}
	if e, ok := k.envs[rec.Environment]; ok && e.reattaches() {
		// Else it would be held; but a power cut may have taken that back. The start
		// of a supervisor is stored before that of its children.
		return k.cfg.SameLogs || e.supervises()
	}
	if !rec.Ahead || !k.cfg.SameLogs {
		return false
	}
	rd, err := k.cfg.Logs.Open(int64(rec.ID), rec.Number)
	if err == nil {
		rd.Close()
	}
	return errors.Is(err, rawlog.ErrNotKept)
}

// lastNumbers returns the last seq anyone can have seen: that of the last stored
// event, or of an output line whose index follows it without a gap. Lines behind
// a gap were never published, because the event in the gap was not committed. It
// also returns the highest cursor that was used, as far as the run's log tells.
func (k *Kernel) lastNumbers(rec *process.Process, stored, cursor int64) (last, used int64) {
	last, used = stored, cursor
	if !k.cfg.Logs.Indexed(int64(rec.ID), rec.Number) {
		return last, used // nothing was captured, or not to files
	}
	rd, err := k.cfg.Logs.Open(int64(rec.ID), rec.Number)
	if err != nil {
		return last, used
	}
	defer rd.Close()
	if used, err = lastCursor(rd, used); err != nil {
		return last, used
	}
	// Where a cap has dropped entries a gap proves nothing; then all are kept,
	// and a number that was never given shows as elided.
	capped := len(rd.Holes(rawlog.Stdout))+len(rd.Holes(rawlog.Stderr)) > 0
	for {
		entries, err := rd.Entries(last, 1024)
		if err != nil || len(entries) == 0 {
			return last, used
		}
		for _, e := range entries {
			if e.Seq > last+1 && !capped {
				return last, used
			}
			last = max(last, e.Seq+int64(e.Count)-1)
		}
	}
}

// lastCursor is the highest one that a log or anything before has used: a record
// may tell of lines without an event that came after them.
func lastCursor(rd *rawlog.Reader, cursor int64) (int64, error) {
	for {
		entries, err := rd.EntriesAfterCursor(cursor, 1024)
		if err != nil || len(entries) == 0 {
			return cursor, err
		}
		for _, e := range entries {
			cursor = max(cursor, e.Cursor+int64(e.Count)-1)
		}
	}
}

// settle records the truth about what an earlier host left behind, and returns
// when it is committed: nobody sees a process of a dead host running. What goes
// on is then in the table as what it is, and is taken up while this host already
// answers, unless that is urgent.
func (k *Kernel) settle(ctx context.Context, r recovery) error {
	var over []*proc
	defer func() {
		for _, p := range over {
			<-p.done
		}
	}()
	k.sweep(ctx, r) // before anything is begun that it would not know
	for _, t := range r.all {
		t.proc = k.entered(ctx, t.rec)
	}
	logs := make([]*rawlog.Log, len(r.left))
	_ = onAllCores(len(logs), func(i int) error {
		logs[i] = k.takeUp(r.left[i].proc)
		return nil
	})
	stored, begin := make([]chan error, len(r.left)), make([]func(), len(r.left))
	for i, t := range r.left {
		stored[i], begin[i] = k.reattach(t, logs[i], r.waited[t.rec.ID])
		delete(r.waited, t.rec.ID)
	}
	for _, t := range r.zombies {
		over = append(over, t.proc)
		t.proc.reap(func() { t.proc.over(true) })
	}
	for _, t := range r.interrupted {
		over = append(over, t.proc)
		t.proc.strand(r.waited[t.rec.ID])
		delete(r.waited, t.rec.ID)
		k.settleInterrupted(t.proc, t.intent)
	}
	for _, t := range r.queued {
		k.requeue(t)
	}
	goOn := func() { // now that each run is what it will be
		for _, f := range begin {
			f()
			runtime.Gosched() // ten thousand at once would keep whoever asks now waiting
		}
		for i, t := range r.left {
			if err := <-stored[i]; err != nil {
				k.log.Error("take up a run", "process", t.rec.ID, "error", err)
			}
		}
	}
	if slices.ContainsFunc(r.all, (*taken).urgent) {
		goOn()
		k.seeStarted(ctx, r.left)
		for _, t := range r.left {
			k.askAgain(t.proc)
		}
		k.carryOutBelow(r)
	} else {
		k.services.Go(goOn)
	}
	return k.strandIdle(ctx, r.waited)
}

// urgent reports whether something is to be decided or carried out that is not
// the run's alone, or its record does not say yet that it runs. That is over
// before anybody is answered: who asks for something else, or ends this host,
// must not come in between.
func (t *taken) urgent() bool {
	return t.unseen() || t.proc.seat.account != nil || t.intent != nil && t.intent.tree
}

// unseen reports whether it goes on and its start was not stored.
func (t *taken) unseen() bool { return t.goesOn && t.rec.Lifecycle == process.LifecycleCreated }

// seeStarted has the records of runs say that they run whose start was not
// stored. It waits as long as a signal would.
func (k *Kernel) seeStarted(ctx context.Context, left []*taken) {
	waited := false
	for _, t := range left {
		if t.unseen() {
			waited = true
			if err := t.proc.awaitStart(ctx); err != nil {
				k.log.Warn("a run that another daemon has begun", "process", t.rec.ID, "error", err)
			}
		}
	}
	if waited {
		seen := make(chan error, 1)
		k.journal.add(&entry{exec: func() error { return nil }, done: func(err error) { seen <- err }})
		_ = await(ctx, seen)
	}
}

// requeue puts a run that was never started into its queue, unless that was not
// to happen any more.
func (k *Kernel) requeue(t *taken) {
	p := t.proc
	p.requeued = true
	switch _, ok := k.envs[t.rec.Environment]; {
	case !ok:
		p.conclude(verdict{state: process.ExitFailed, spawnErr: true,
			err:  fmt.Sprintf("the environment %q is not available", t.rec.Environment),
			exit: process.Exit{Code: 1, Reason: "environment not available"}}, nil)
	case t.intent != nil: // it was killed, and that was told
		p.stop(t.intent.cause, KillOptions{why: t.intent.why}, nil)
	case k.table.parentOf(p).executes():
		k.startBelow(p)
	default:
		p.env.pool.push(p)
	}
}

// outputBefore is the structured output of the run before this one.
func (k *Kernel) outputBefore(ctx context.Context, p *proc) map[string]any {
	if p.rec.Number <= 1 {
		return nil
	}
	runs, err := k.cfg.Store.Archived(context.WithoutCancel(ctx), p.id)
	if err != nil {
		k.log.Error("read the output of the run before", "process", p.id, "error", err)
		return nil
	}
	for i := range runs {
		if runs[i].Number == p.rec.Number-1 {
			return runs[i].Output
		}
	}
	return nil
}

// executes reports whether there is such a run, and it has left the queue and not
// ended.
func (p *proc) executes() bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cancel != nil && !p.isOver()
}

// startBelow starts a queued run without a slot, as a child of one that executes.
func (k *Kernel) startBelow(p *proc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rec.Claimed = true
	p.append(&entry{done: func(err error) {
		if err != nil { // the next host finds it queued
			p.over(true)
			return
		}
		k.start(p)
	}}, true)
}

// entered puts a run back into the table.
func (k *Kernel) entered(ctx context.Context, rec *process.Process) *proc {
	e, ok := k.envs[rec.Environment]
	if !ok {
		e = &environment{name: rec.Environment, pool: &pool{}}
	}
	p := newProc(k, rec, e)
	p.seat = k.restore(ctx, rec)
	k.runs.Add(1)
	k.active.Add(1)
	k.table.add(p, k.lineage(ctx, rec.Parent)...)
	return p
}

// settleInterrupted completes the output of a run whose host died and says
// that its outcome is not known.
//
// One that was being ended, and was said to be, has ended that way.
func (k *Kernel) settleInterrupted(p *proc, i *intent) {
	p.resolved = true
	p.intend(i)
	if log, err := k.cfg.Logs.Recover(int64(p.id), p.rec.Number, policy(p.rec.RawOutput), p.rec.LastSeq); err == nil {
		p.log = log
		p.pump = newPump(p)
		p.pump.resume()
	}
	p.mu.Lock()
	v := p.judge(env.Result{}, env.ErrLost)
	p.mu.Unlock()
	p.finish(v, nil, k.foundSoFar(p))
}

// foundSoFar is the evidence an interrupted run's events hold.
func (k *Kernel) foundSoFar(p *proc) (ev interpret.Evidence) {
	ev.Progress = p.rec.Progress
	for e, err := range k.eventsOf(context.Background(), &p.rec) {
		if err != nil {
			return ev
		}
		switch d := e.Data.(type) {
		case process.FindingEmitted:
			ev.Findings = append(ev.Findings, d.Finding)
		case process.SummarySet:
			ev.Summary = d.Summary
		}
	}
	return ev
}

// eventsOf yields the stored events of a process's newest run.
func (k *Kernel) eventsOf(ctx context.Context, rec *process.Process) iter.Seq2[process.Event, error] {
	return func(yield func(process.Event, error) bool) {
		for after := int64(0); ; {
			events, err := k.cfg.Store.Events(ctx, rec.ID, after, replayPage)
			if err != nil {
				yield(process.Event{}, err)
				return
			}
			if len(events) == 0 {
				return
			}
			for _, e := range events {
				if after = e.Seq; e.Run == rec.Number && !yield(e, nil) {
					return
				}
			}
		}
	}
}

// resume reads what the dead host did not: lines, without an interpreter. It
// returns when they are committed.
func (u *pump) resume() {
	u.session = interpret.NewSession(nil, interpret.Options{})
	u.takeUp()
	u.drainAll()
	u.settle()
}

// takeUp goes on where the dead host stood, which may be in a line's end.
func (u *pump) takeUp() {
	if u.log.Position(rawlog.Stdout)+u.log.Position(rawlog.Stderr) == 0 {
		return
	}
	if rd, err := u.p.k.cfg.Logs.Open(int64(u.p.id), u.p.rec.Number); err == nil {
		var last [1]byte
		for i := range u.streams {
			s := rawlog.Stream(i)
			n, _ := rd.ReadAt(s, last[:], u.log.Position(s)-1)
			u.streams[i].split.AfterCR = n == 1 && last[0] == '\r'
		}
		rd.Close()
	}
}
