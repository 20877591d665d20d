package kernel

import (
	"math"
	"sync"
	"time"

	"github.com/reeverun/reeve/process"
)

// account counts what a run with a budget, and every run that was started below
// it, use together. It lives as long as any of them: who ends does not set what
// it started free.
//
//	open ──▶ closed            what it bounds is being ended
//	  ▲ └──▶ asking ──▶ closed  denied, expired
//	  └─────────┘               granted
//
// Accounts form a tree of their own, above being the one of the nearest process
// above that has a budget; what is charged to one is charged to all above it.
type account struct {
	above      *account // nil: it is the outermost
	generation int      // of the owner below that of above
	owner      *proc    // set when its run enters the table

	// Guarded by ledger.mu.
	bound    process.Budget // grants add to it
	tokens   int64
	cpu      time.Duration
	children int64
	state    accountState
	why      string                // it was used up, for people
	coming   int                   // runs that are on their way into the table
	runs     map[*proc]struct{}    // that have no nearer account
	inner    map[*account]struct{} // those right below
	held     []*proc               // that were paused because it asks
	wall     *time.Timer           // until the wall time is used up
	sampler  *time.Timer           // until the CPU time is looked at
}

type accountState int

const (
	accountOpen accountState = iota
	accountAsking
	accountClosed
)

// seat is where a run is accounted for. It does not change.
type seat struct {
	account    *account // the nearest one, its own if it has a budget; nil: none
	generation int      // below that one's owner
}

// ledger holds the accounts. Its lock may be taken under any other, and none
// under it.
type ledger struct {
	mu   sync.Mutex
	open map[process.ID]*account // by the owner, while there is a run to account for
}

func newLedger() *ledger { return &ledger{open: map[process.ID]*account{}} }

// find returns the account of a process, or nil; empty says that there is none
// at all.
func (l *ledger) find(id process.ID) (a *account, empty bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open[id], len(l.open) == 0
}

// alive reports whether anything is accounted for; l.mu is held.
func (a *account) alive() bool { return a.coming+len(a.runs)+len(a.inner) > 0 }

// living skips accounts that are over: what they bounded has ended. l.mu is held.
func (s seat) living() seat {
	for s.account != nil && !s.account.alive() {
		s.generation += s.account.generation
		s.account = s.account.above
	}
	return s
}

// take makes a seat at, or right below, another for a run with a budget; l.mu is
// held. The run is coming until it is attached, or given up.
func (s seat) take(b process.Budget) seat {
	if b == (process.Budget{}) {
		if s.account != nil {
			s.account.coming++
		}
		return s
	}
	a := &account{above: s.account, generation: s.generation, bound: b, coming: 1}
	if a.above != nil {
		if a.above.inner == nil {
			a.above.inner = map[*account]struct{}{}
		}
		a.above.inner[a] = struct{}{}
	}
	return seat{account: a}
}

// attach notes that a run has come into the table.
func (l *ledger) attach(p *proc) {
	a := p.seat.account
	if a == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	a.coming--
	if a.runs == nil {
		a.runs = map[*proc]struct{}{}
	}
	a.runs[p] = struct{}{}
	if p.seat.generation == 0 {
		a.owner = p
		l.open[p.id] = a
	}
}

// detach notes that a run has left the table.
func (l *ledger) detach(p *proc) {
	if a := p.seat.account; a != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(a.runs, p)
		l.prune(a)
	}
}

// giveUp frees a seat whose run did not come into the table. uncount says that
// there will be no such process at all.
func (l *ledger) giveUp(s seat, uncount bool) {
	if s.account == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s.account.coming--
	if uncount {
		s.uncount()
	}
	l.prune(s.account)
}

// uncount takes back that a process was started: it could not be created.
func (l *ledger) uncount(s seat) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.uncount()
}

func (s seat) uncount() {
	for a := s.above(); a != nil; a = a.above {
		a.children--
	}
}

// above is the nearest account that a process with this seat is a child in.
func (s seat) above() *account {
	if s.account != nil && s.generation == 0 {
		return s.account.above
	}
	return s.account
}

// prune ends accounts with nothing left to account for; l.mu is held.
func (l *ledger) prune(a *account) {
	for ; a != nil && !a.alive(); a = a.above {
		for _, t := range []*time.Timer{a.wall, a.sampler} {
			if t != nil {
				t.Stop()
			}
		}
		if a.owner != nil && l.open[a.owner.id] == a {
			delete(l.open, a.owner.id)
		}
		if a.above != nil {
			delete(a.above.inner, a)
		}
	}
}

// members returns all runs that are accounted for, the newest first: a child
// comes before its parent.
func (l *ledger) members(a *account) []*proc {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := a.gather(nil)
	sortNewestFirst(all)
	return all
}

func (a *account) gather(all []*proc) []*proc {
	for p := range a.runs {
		all = append(all, p)
	}
	for i := range a.inner {
		all = i.gather(all)
	}
	return all
}

// millis is a duration of n milliseconds, as long as one can be.
func millis(n int64) time.Duration {
	return time.Duration(min(n, math.MaxInt64/int64(time.Millisecond))) * time.Millisecond
}
