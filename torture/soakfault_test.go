//go:build linux

package torture

import (
	"syscall"
	"time"
)

// fault is something that happens to Reeve.
type fault struct {
	name   string
	strike func(*soak)
}

// storms end the daemon or the keeper, calms do not.
var (
	storms = []fault{
		{"daemon killed", func(s *soak) { s.killDaemon(); s.revive() }},
		{"keeper killed", func(s *soak) { s.killKeeper(); s.daemon.ready() }},
		{"daemon replaced", func(s *soak) { s.stopping(); s.daemon.replace(); s.daemon.ready() }},
		{"daemon stopped", func(s *soak) {
			s.stopping()
			s.daemon.stop()
			s.daemon.http.CloseIdleConnections()
			s.daemon.launch()
			s.daemon.ready()
		}},
		{"daemon frozen", (*soak).freeze},
	}
	calms = []fault{{"daemon frozen", (*soak).freeze}, {"nothing", func(*soak) {}}, {"nothing", func(*soak) {}}}
)

// strike does what is next: of each sort of fault once before any comes again,
// in an order of its own each time.
func (s *soak) strike() {
	s.t.Helper()
	next := calms[s.rand.IntN(len(calms))]
	if s.stormy() {
		if len(s.deck) == 0 {
			for _, i := range s.rand.Perm(len(storms)) {
				s.deck = append(s.deck, storms[i])
			}
		}
		next, s.deck = s.deck[0], s.deck[1:]
	}
	if next.name == "nothing" {
		return
	}
	began := time.Now()
	next.strike(s)
	s.pids[s.daemon.cmd.Process.Pid] = true
	s.tally.add(next.name)
	s.t.Logf("%6v  %s, ready after %v", time.Since(s.began).Round(time.Second), next.name, time.Since(began).Round(time.Millisecond))
}

// stopping notes that programs may be ended by an orderly stop.
func (s *soak) stopping() {
	for _, p := range s.procs {
		if !p.finished {
			p.stopped.Store(true)
		}
	}
}

// freeze keeps the daemon from running for a second.
func (s *soak) freeze() {
	_ = s.daemon.cmd.Process.Signal(syscall.SIGSTOP)
	time.Sleep(time.Second) // how long it is
	_ = s.daemon.cmd.Process.Signal(syscall.SIGCONT)
	s.daemon.ready()
}
