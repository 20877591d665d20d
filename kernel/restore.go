package kernel

import (
	"context"
	"time"

	"github.com/reeverun/reeve/process"
)

// restore finds a seat for a run of an earlier host, below those that still have
// an account, and charges again what that host knew: of the run itself, and of
// what was started below it and is over. What is below it and goes on, or is
// settled by this host, is charged when it is restored itself.
func (k *Kernel) restore(ctx context.Context, rec *process.Process) seat {
	above := k.seatBelow(ctx, rec.Parent)
	var below usedBelow
	if rec.Options.Budget != (process.Budget{}) && (k.reattachable(rec) || k.mayGoOn(rec)) {
		var err error
		if below, err = k.foundBelow(ctx, rec); err != nil {
			k.log.Error("count what was started below a process with a budget", "process", rec.ID, "error", err)
		}
	}
	k.ledger.mu.Lock()
	defer k.ledger.mu.Unlock()
	s := above.living().take(rec.Options.Budget)
	for a := s.account; a != nil; a = a.above {
		a.tokens = plus(a.tokens, rec.Usage.Tokens)
	}
	if a := s.account; a != nil && s.generation == 0 {
		a.tokens = plus(a.tokens, below.tokens)
		a.cpu, a.children = below.cpu, below.children
	}
	return s
}

// usedBelow is what was used below a run under an earlier host.
type usedBelow struct {
	tokens   int64
	cpu      time.Duration
	children int64
}

// foundBelow counts what was started below a process since its newest run began,
// and what of that is over has used.
func (k *Kernel) foundBelow(ctx context.Context, rec *process.Process) (u usedBelow, err error) {
	q := process.Query{Limit: process.MaxLimit, NoCode: true}
	if rec.Number > 1 {
		q.Since = rec.StartedAt.Truncate(time.Millisecond) // as times of creation are
	}
	for parents := []process.ID{rec.ID}; len(parents) > 0; parents = parents[1:] {
		q.Parent, q.Cursor = parents[0], ""
		for more := true; more; {
			page, err := k.cfg.Store.Processes(ctx, q)
			if err != nil {
				return u, err
			}
			for i := range page {
				c := &page[i]
				parents = append(parents, c.ID)
				q.Cursor = c.ID.String()
				u.add(c)
			}
			more = len(page) == q.Limit
		}
	}
	return u, nil
}

// add counts a process that was started below. See store.Store.Unsettled for
// what is not over.
func (u *usedBelow) add(c *process.Process) {
	u.children++
	if c.State == process.Idle && c.Lifecycle != process.LifecycleZombie {
		u.tokens = plus(u.tokens, c.Usage.Tokens)
		u.cpu += millis(c.Usage.CPUMS)
	}
}
