//go:build linux

package torture

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// clients is how many make processes at a time; each stays with one until it
// ends, so there are about as many.
const clients = 16

// story is what a client does with one process.
type story struct {
	p       *proc
	rand    *rand.Rand
	hasty   bool   // it breaks the first create off
	fate    string // what is done to the process: nothing, kill, now, pause
	watches string // how its end is awaited: events, output, record
}

// load has clients make processes, and a fault strike at a random time.
func (s *soak) load() {
	s.t.Helper()
	s.pids[s.daemon.cmd.Process.Pid] = true
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	var all sync.WaitGroup
	next := make(chan story)
	for range clients {
		all.Go(func() {
			for st := range next {
				s.play(ctx, st)
			}
		})
	}
	s.accompany(ctx, &all)
	s.lead(next)
	cancel() // whoever is in the middle of a request hangs up
	close(next)
	all.Wait()
}

// lead hands stories out until the time is over, and strikes meanwhile: once in
// each half.
func (s *soak) lead(next chan<- story) {
	half := s.roundLasts() / 2
	pending := s.tell()
	for range 2 {
		pending = s.hand(next, pending, s.upTo(half))
		s.strike()
		pending = s.hand(next, pending, half/2)
	}
}

// hand gives stories to whoever is free, for a while.
func (s *soak) hand(next chan<- story, pending story, lasting time.Duration) story {
	for end := time.After(lasting); ; s.progress() {
		select {
		case next <- pending:
			pending = s.tell()
		case <-end:
			return pending
		}
	}
}

// tell makes a story up.
func (s *soak) tell() story {
	st := story{p: s.newcomer(), rand: rand.New(rand.NewPCG(uint64(s.seed), uint64(s.count)))}
	st.hasty = s.rand.IntN(10) == 0
	st.watches = []string{"events", "events", "output", "record"}[s.rand.IntN(4)]
	switch n := s.rand.IntN(10); {
	case st.p.program != nil && st.p.program.agent: // pausing one is its own affair
	case st.p.nurse || st.p.job != nil && st.p.job.Kind == Endless:
		st.fate = []string{"kill", "now"}[n%2]
	case n < 2:
		st.fate = "kill"
	case n < 3:
		st.fate = "now"
	case n < 5 && !st.p.hostile:
		st.fate = "pause"
	}
	return st
}

// play is one client with one process.
func (s *soak) play(ctx context.Context, st story) {
	p := st.p
	if st.hasty {
		brief, cancel := context.WithTimeout(ctx, time.Duration(st.rand.Int64N(int64(30*time.Millisecond))))
		s.createIn(brief, p)
		cancel()
		s.tally.add("broken off")
	}
	for p.id == 0 {
		if ctx.Err() != nil {
			return // it is asked for again when all is at rest
		}
		if s.createIn(ctx, p); p.id == 0 {
			pause(ctx, 10*time.Millisecond)
		}
	}
	s.tally.add("created")
	if p.never {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { s.befall(ctx, st) })
	s.watch(ctx, st)
	both.Wait()
}

// befall does to a process what the story says.
func (s *soak) befall(ctx context.Context, st story) {
	if st.fate == "" || !pause(ctx, time.Duration(st.rand.Int64N(int64(900*time.Millisecond)))) {
		return
	}
	if st.fate != "pause" {
		s.kill(st.p, st.fate == "now")
		s.tally.add("killed")
		return
	}
	s.pause(st.p)
	s.stillPaused(st.p)
	pause(ctx, time.Duration(st.rand.Int64N(int64(200*time.Millisecond))))
	s.stillPaused(st.p)
	s.resume(st.p)
	s.tally.add("paused")
}

// pause waits, and reports whether it waited to the end.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
