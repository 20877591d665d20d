package kernel

import (
	"context"
	"slices"
	"time"

	"github.com/reeverun/reeve/process"
)

// enroll finds a seat for a process that is to be created, counts it as a child
// of all above, and narrows its budget to what they have left. One beyond their
// budgets is refused.
func (k *Kernel) enroll(ctx context.Context, s *process.Spec) (seat, error) {
	above := k.seatBelow(ctx, s.Parent)
	wall := k.wallLeft(above.account, s.Options.Budget)
	k.ledger.mu.Lock()
	defer k.ledger.mu.Unlock()
	above = above.living()
	if err := above.admits(true); err != nil {
		return seat{}, err
	}
	left := above.left()
	left.WallMS = wall
	for a := above.account; a != nil; a = a.above {
		a.children++
	}
	s.Options.Budget = s.Options.Budget.Within(left)
	return above.take(s.Options.Budget), nil
}

// reenroll finds a seat for a new run of a process. It counts anew what it is
// charged for; above it nothing is taken back, and nothing counted twice.
func (k *Kernel) reenroll(ctx context.Context, rec *process.Process) (seat, error) {
	above := k.seatBelow(ctx, rec.Parent)
	k.ledger.mu.Lock()
	defer k.ledger.mu.Unlock()
	above = above.living()
	if err := above.admits(false); err != nil {
		return seat{}, err
	}
	return above.take(rec.Options.Budget), nil
}

// seatBelow is the seat of a child of a process that is in the table, or below
// one that is, or has an account left.
func (k *Kernel) seatBelow(ctx context.Context, id process.ID) seat {
	for generation := 1; id != 0; generation++ {
		if p := k.table.get(id); p != nil {
			return seat{p.seat.account, p.seat.generation + generation}
		}
		a, none := k.ledger.find(id)
		if a != nil {
			return seat{a, generation}
		}
		if none {
			return seat{}
		}
		rec, err := k.cfg.Store.Process(ctx, id)
		if err != nil {
			return seat{}
		}
		id = rec.Parent
	}
	return seat{}
}

// admits returns nil if a process may be started with this seat; fresh says that
// it is a new one. ledger.mu is held.
func (s seat) admits(fresh bool) error {
	depth := int64(s.generation)
	for a := s.account; a != nil; a = a.above {
		b := a.bound
		switch id := a.owner.id; {
		case a.state == accountAsking:
			return overBudget("process %d has used its budget up: nothing is started below it until more is approved", id)
		case a.state == accountClosed:
			return overBudget("process %d has used its budget up and is being ended: nothing is started below it", id)
		case fresh && b.Children != 0 && a.children+1 > b.Children:
			return overBudget("process %d has used its budget of children up, which is %d", id, max(0, b.Children))
		case fresh && b.Depth != 0 && depth > b.Depth:
			return overBudget("process %d has a budget of depth, which is %d: nothing is started deeper below it", id, max(0, b.Depth))
		}
		depth += int64(a.generation)
	}
	return nil
}

func overBudget(format string, args ...any) error {
	return process.Errorf(process.CodeBudget, format, args...)
}

// left is the least that those above have left for a process and what it starts,
// once it is counted itself; wall time aside. ledger.mu is held.
func (s seat) left() (left process.Budget) {
	least := func(to *int64, bound, used int64) {
		if bound == 0 {
			return
		}
		n := bound - used
		if n <= 0 {
			n = -1
		}
		if *to == 0 || n < *to {
			*to = n
		}
	}
	depth := int64(s.generation)
	for a := s.account; a != nil; a = a.above {
		least(&left.Tokens, a.bound.Tokens, a.tokens)
		least(&left.CPUMS, a.bound.CPUMS, a.cpu.Milliseconds())
		least(&left.Children, a.bound.Children, a.children+1)
		least(&left.Depth, a.bound.Depth, depth)
		depth += int64(a.generation)
	}
	return left
}

// wallLeft is the least wall time, in milliseconds, that an account and those
// above it have left; 0: they do not bound it, or nobody wants to know.
func (k *Kernel) wallLeft(a *account, wanted process.Budget) (least int64) {
	if wanted.WallMS == 0 {
		return 0
	}
	for ; a != nil; a = a.above {
		k.ledger.mu.Lock()
		bound, owner := a.bound.WallMS, a.owner
		k.ledger.mu.Unlock()
		if bound == 0 || owner == nil {
			continue
		}
		left := max(1, (millis(bound) - owner.wallUsed()).Milliseconds())
		if least == 0 || left < least {
			least = left
		}
	}
	return least
}

// wallUsed is how long the run has executed, and what it left behind after it.
func (p *proc) wallUsed() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.clock.since(time.Now())
}

func sortNewestFirst(all []*proc) {
	slices.SortFunc(all, func(a, b *proc) int { return int(b.id - a.id) })
}
