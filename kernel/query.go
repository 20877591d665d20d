package kernel

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
)

// Process returns a process with its newest run: live, if that is not over.
func (k *Kernel) Process(ctx context.Context, id process.ID) (*process.Process, error) {
	if p := k.table.get(id); p != nil && p.created() {
		return p.current(), nil
	}
	return k.cfg.Store.Process(ctx, id)
}

// created reports whether the process is in the store.
func (p *proc) created() bool { return p.view.Load().LastSeq > 0 }

// Processes returns one page of processes, newest first.
func (k *Kernel) Processes(ctx context.Context, q process.Query) (process.Page, error) {
	k.watch()
	q, err := q.Normalize()
	if err != nil {
		return process.Page{}, err
	}
	if len(q.IDs) == 0 && (q.Paused || !q.HasState(process.Idle)) {
		return k.activePage(q), nil // the table is the truth about what is active
	}
	var page process.Page
	ask := q
	for {
		found, err := k.cfg.Store.Processes(ctx, ask)
		if err != nil {
			return page, err
		}
		for i := range found {
			rec := &found[i]
			if p := k.table.get(rec.ID); p != nil && p.created() {
				rec = p.current()
			}
			if !q.Matches(rec) { // it changed since the store was asked
				continue
			}
			page.Processes = append(page.Processes, *rec)
			if len(page.Processes) == q.Limit {
				if i < len(found)-1 || len(found) == ask.Limit {
					page.Next = rec.ID.String()
				}
				return page, nil
			}
		}
		if len(found) < ask.Limit {
			return page, nil
		}
		ask.Cursor = found[len(found)-1].ID.String()
	}
}

// activeRuns is how many runs of the table are looked at in one hold of its lock.
const activeRuns = 256

// activePage pages through the table.
func (k *Kernel) activePage(q process.Query) process.Page {
	var page process.Page
	before, _ := q.Before()
	for {
		runs := k.table.below(before, max(q.Limit, activeRuns))
		if len(runs) == 0 {
			return page
		}
		before = runs[len(runs)-1].id
		for _, p := range runs {
			if !p.created() || !q.Matches(p.view.Load()) {
				continue
			}
			if len(page.Processes) == q.Limit {
				page.Next = page.Processes[q.Limit-1].ID.String()
				return page
			}
			page.Processes = append(page.Processes, *p.current())
		}
	}
}

// Runs returns all runs of a process, newest first.
func (k *Kernel) Runs(ctx context.Context, id process.ID) ([]process.Run, error) {
	rec, err := k.Process(ctx, id)
	if err != nil {
		return nil, err
	}
	earlier, err := k.cfg.Store.Archived(ctx, id)
	if err != nil || rec.Number == 0 {
		return earlier, err
	}
	return append([]process.Run{rec.Run}, earlier...), nil
}

// Findings returns findings of all processes, newest first.
func (k *Kernel) Findings(ctx context.Context, q process.FindingQuery) ([]process.FoundFinding, error) {
	return k.cfg.Store.Findings(ctx, q)
}

// OpenOutput returns a reader of a run's raw output; run 0 is the newest one.
// A run that wrote nothing has an empty one; what retention or a policy
// removed is process.ErrNotKept.
func (k *Kernel) OpenOutput(ctx context.Context, id process.ID, run int) (Output, error) {
	rec, err := k.Process(ctx, id)
	if err != nil {
		return nil, err
	}
	runs := []process.Run{rec.Run}
	if run != 0 && run != rec.Number {
		if runs, err = k.cfg.Store.Archived(ctx, id); err != nil {
			return nil, err
		}
	}
	if run == 0 && rec.Number == 0 {
		return empty{}, nil
	}
	for _, r := range runs {
		if run == 0 || r.Number == run {
			return k.openRun(id, &r)
		}
	}
	return nil, process.Errorf(process.CodeNotFound, "process %d has no run %d", id, run)
}

// openRun opens the output of a run that was.
func (k *Kernel) openRun(id process.ID, r *process.Run) (Output, error) {
	silent := r.StdoutBytes == 0 && r.StderrBytes == 0 && !r.LogsPruned
	if silent && !r.CompletedAt.IsZero() && r.Captured != process.Disabled {
		return empty{}, nil // whatever file carries its name is not its own
	}
	rd, err := k.cfg.Logs.Open(int64(id), r.Number)
	switch {
	case err == nil:
		return rd, nil
	case silent && r.Captured != process.Disabled:
		return empty{}, nil
	case errors.Is(err, rawlog.ErrNotKept):
		return nil, process.Errorf(process.CodeNotKept, "the output of run %d of process %d was not kept", r.Number, id)
	}
	return nil, err
}

func ignoreNotFound(err error) error {
	if errors.Is(err, process.ErrNotFound) {
		return nil
	}
	return err
}

// Output is the raw output of a run, by exact offsets.
type Output interface {
	Size(s rawlog.Stream) int64
	ReadAt(s rawlog.Stream, p []byte, off int64) (int, error)
	Copy(w io.Writer, s rawlog.Stream, from, to int64) (int64, error)
	Holes(s rawlog.Stream) []rawlog.Span
	Close() error
}

// empty is the output of a run that wrote nothing.
type empty struct{}

func (empty) Size(rawlog.Stream) int64                                   { return 0 }
func (empty) ReadAt(rawlog.Stream, []byte, int64) (int, error)           { return 0, io.EOF }
func (empty) Copy(io.Writer, rawlog.Stream, int64, int64) (int64, error) { return 0, nil }
func (empty) Holes(rawlog.Stream) []rawlog.Span                          { return nil }
func (empty) Close() error                                               { return nil }

// forgetParent makes the live children of a deleted process parentless, as the
// store did with the others.
func (k *Kernel) forgetParent(id process.ID) {
	var pending sync.WaitGroup
	for _, p := range k.table.list() {
		p.mu.Lock()
		if p.rec.Parent == id {
			p.rec.Parent = 0
			pending.Add(1)
			p.record(func(error) { pending.Done() })
		}
		p.mu.Unlock()
	}
	pending.Wait()
}

// Delete removes an idle process with its events and logs.
func (k *Kernel) Delete(ctx context.Context, id process.ID) (*process.Process, error) {
	if z := k.table.get(id); z != nil && z.view.Load().Lifecycle == process.LifecycleZombie {
		k.reapNow(ctx, z)
	}
	if !k.table.hold(id) {
		return nil, k.notIdle(ctx, id)
	}
	defer k.table.release(id)
	rec, err := k.cfg.Store.Process(ctx, id)
	if err != nil {
		return nil, err
	}
	// In the journal's order: what is still queued for this process comes first.
	deleted := make(chan error, 1)
	k.journal.add(&entry{
		exec: func() error {
			err := k.cfg.Store.Delete(context.WithoutCancel(ctx), id)
			if err == nil {
				k.census.changed(rec, nil)
			}
			return err
		},
		done: func(err error) { deleted <- err },
	})
	if err := <-deleted; err != nil {
		return nil, err
	}
	k.table.deleted(id)
	k.forgetParent(id)
	return rec, k.cfg.Logs.RemoveAll(int64(id))
}
