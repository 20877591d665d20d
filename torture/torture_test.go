//go:build linux

package torture

import (
	"slices"
	"sync"
	"testing"
	"time"
)

// The daemon is killed again and again under load. What was acknowledged is
// there and ran once; commands lose no byte and keep their exit codes; programs
// are exact or truthfully interrupted; kills and pauses hold.
func TestDaemonIsKilled(t *testing.T) {
	w := newWorld(t)
	for range setting(t, "ROUNDS", 3) {
		w.round(w.killDaemon, func() {
			t.Logf("round %d: ready after %v", w.figures.rounds, w.revive().Round(time.Millisecond))
		})
	}
	w.settle()
}

// The keeper is killed under load, and now and then the daemon with it. The
// daemon goes on by itself; what becomes of the commands is told truthfully,
// and none of them is left.
func TestKeeperIsKilled(t *testing.T) {
	w := newWorld(t)
	for n := range setting(t, "KEEPER", 2) {
		both := n%3 == 1
		w.round(func() {
			w.killKeeper()
			if both {
				w.killDaemon()
			}
		}, func() {
			if both {
				w.daemon.launch()
			}
			w.daemon.ready()
		})
	}
	w.settle()
}

// round brings the load up to its height, strikes at a random point, has all
// requests end, mends, and checks what can be checked by now.
func (w *world) round(strike, mend func()) {
	w.figures.rounds++
	w.topUp()
	creates := make([]*proc, setting(w.t, "CREATES", 60))
	for i := range creates {
		creates[i] = w.quick()
	}
	victims, others := w.victims(), w.some(w.living(), 12)
	var requests sync.WaitGroup
	for _, p := range creates {
		requests.Go(func() { w.create(p) })
	}
	w.later(&requests, victims, func(p *proc, chance bool) { w.kill(p, chance) })
	w.later(&requests, others, func(p *proc, _ bool) { w.pause(p) })
	time.Sleep(w.upTo(1200 * time.Millisecond)) // the random point
	strike()
	requests.Wait()
	mend()
	again := w.unacknowledged()
	w.figures.repeated += len(again)
	together(append(again, w.some(w.acknowledged(), 20)...), 64, w.create)
	w.check(append(w.living(), w.some(w.procs, 20)...))
	for _, p := range w.living() {
		if p.paused || p.pauseTried {
			w.stillPaused(p)
			if w.rand.IntN(2) == 0 {
				w.resume(p)
			}
		}
	}
}

// later does something to each process at a random time.
func (w *world) later(requests *sync.WaitGroup, procs []*proc, do func(p *proc, chance bool)) {
	for _, p := range procs {
		wait, chance := w.upTo(800*time.Millisecond), w.rand.IntN(2) == 0
		requests.Go(func() {
			time.Sleep(wait)
			do(p, chance)
		})
	}
}

// victims are some to be killed: of all sorts, and of those that end by nothing
// else, so that these do not become the most.
func (w *world) victims() []*proc {
	endless := w.some(w.which(func(p *proc) bool {
		return p.id != 0 && !p.finished && p.job != nil && p.job.Kind == Endless
	}), 6)
	for _, p := range w.some(w.living(), 6) {
		if !slices.Contains(endless, p) {
			endless = append(endless, p)
		}
	}
	return endless
}

// topUp makes commands and programs until there are as many as are wanted.
func (w *world) topUp() {
	commands, programs := setting(w.t, "COMMANDS", 20), setting(w.t, "PROGRAMS", 20)
	for _, p := range w.living() {
		if p.job != nil {
			commands--
		} else {
			programs--
		}
	}
	var more []*proc
	for range commands {
		more = append(more, w.chatty())
	}
	for range programs {
		more = append(more, w.script(10+w.rand.IntN(60), w.upTo(1500*time.Millisecond)))
	}
	together(more, 16, w.create)
}

// some picks at most n of them.
func (w *world) some(procs []*proc, n int) (picked []*proc) {
	for _, i := range w.rand.Perm(len(procs))[:min(n, len(procs))] {
		picked = append(picked, procs[i])
	}
	return picked
}

// end lets everything come to its end and checks it.
func (w *world) end() {
	before := len(w.procs)
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		w.release()
		w.check(w.living())
		left := w.living()
		if len(left) == 0 {
			break
		}
		if len(left) < before {
			before, end = len(left), time.Now().Add(patience)
		}
		if time.Now().After(end) {
			rec, _ := w.daemon.record(left[0].id)
			w.wrong("%d processes do not end, among them %v", len(left), rec)
			break
		}
	}
}

// settle ends everything and checks all of it once more.
func (w *world) settle() {
	w.end()
	last := w.command(Plain, 3, 0) // whatever happened, it goes on
	w.create(last)
	w.until("one more command ends", func() bool { w.check([]*proc{last}); return last.finished })
	w.figures.forget()
	w.check(w.procs)
	w.listed()
	w.caughtUp()
	w.leave()
	w.report()
}

// release lets go on what is paused and ends what does not end by itself.
func (w *world) release() {
	for _, p := range w.living() {
		if p.paused || p.pauseTried {
			w.resume(p)
		}
		if (p.nurse || p.job != nil && p.job.Kind == Endless) && !p.killed {
			w.kill(p, true)
		}
	}
}
