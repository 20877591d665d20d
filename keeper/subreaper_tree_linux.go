package keeper

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"time"

	"github.com/reeverun/reeve/keeper/internal/procs"
	"github.com/reeverun/reeve/keeper/internal/subreaper"
	"github.com/reeverun/reeve/process"
)

// sweepPause is how often a tree that lost its subreaper is looked for.
const sweepPause = 20 * time.Millisecond

// subreaperTree is a tree below a subreaper. The subreaper kills and tells;
// signals are sent from here. If the subreaper itself is killed, the tree is
// swept away as far as it can be found and its end reported as ErrLost.
type subreaperTree struct {
	worker *worker
	crew   *crew
	sweep  *sweep
	stops  stops

	mu        sync.Mutex // guards the rest
	used      Usage
	lost      bool
	ended     bool // it has said Empty
	abandoned bool
	killed    bool // the subreaper has been told
}

// receive returns the next message of the subreaper.
func (t *subreaperTree) receive() (subreaper.Message, error) {
	return t.worker.next()
}

// next returns the next message of a worker.
func (w *worker) next() (subreaper.Message, error) {
	buf := make([]byte, subreaper.Size)
	n, err := w.ctl.Read(buf)
	if errors.Is(err, syscall.ECONNRESET) {
		// It ended without reading our last message. The kernel says so
		// first, and only then hands out what it had sent.
		n, err = w.ctl.Read(buf)
	}
	if err != nil {
		return subreaper.Message{}, err
	}
	return subreaper.Decode(buf[:n])
}

// expect receives one kind of message; anything else means that the subreaper
// is lost.
func (t *subreaperTree) expect(k subreaper.Kind) (subreaper.Message, bool) {
	m, err := t.receive()
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil || m.Kind != k {
		t.lost = true
		return m, false
	}
	t.ended = k == subreaper.Empty
	t.used = Usage{CPU: max(t.used.CPU, m.CPU), MaxRSS: max(t.used.MaxRSS, m.MaxRSS)}
	return m, true
}

func (t *subreaperTree) waitLeader() (Exit, error) {
	m, ok := t.expect(subreaper.Exited)
	if !ok {
		return Exit{}, ErrLost
	}
	return exitOf(syscall.WaitStatus(m.Value)), nil
}

func (t *subreaperTree) waitEmpty() error {
	if !t.isLost() {
		t.expect(subreaper.Empty)
	}
	if t.isLost() {
		t.sweepAway()
		return ErrLost
	}
	return nil
}

// settle reaps the subreaper.
func (t *subreaperTree) settle() { _, _ = t.worker.proc.wait() }

// sweepAway ends what can be found of a tree that nobody holds any more.
func (t *subreaperTree) sweepAway() {
	for deadline := time.Now().Add(killFor); time.Now().Before(deadline) && !t.isAbandoned(); {
		if n, err := t.sweep.kill(func() {}); err != nil || n == 0 {
			break
		}
		time.Sleep(sweepPause)
	}
}

func (t *subreaperTree) isLost() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lost
}

func (t *subreaperTree) isAbandoned() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.abandoned
}

// emptyNow leaves it to the subreaper, which tells at once.
func (t *subreaperTree) emptyNow() bool { return false }

// kill tells the subreaper, once: it goes on by itself.
func (t *subreaperTree) kill() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.killed || t.lost {
		return nil
	}
	t.killed = true
	_, err := t.worker.ctl.Write(subreaper.Message{Kind: subreaper.Kill}.Encode())
	return err
}

// find lists the tree. The subreaper is not reaped before it is empty, so its
// pid is its own.
func (t *subreaperTree) find() ([]procs.Stat, error) {
	if t.isLost() {
		return t.sweep.find()
	}
	return procs.Below(t.worker.proc.pid)
}

func (t *subreaperTree) signal(s process.Signal) (int, error) {
	l := stats{list: t.find}
	return l.signal(osSignal(s))
}

func (t *subreaperTree) freeze(ctx context.Context) error { return t.stops.freeze(ctx, t.find) }

func (t *subreaperTree) thaw() error { return t.stops.thaw() }

func (t *subreaperTree) members() []process.Survivor {
	l := stats{list: t.find}
	pids, _ := l.pids()
	return survivors(pids)
}

// usage adds up what is alive and what the subreaper has buried, or takes the
// subreaper's own last word where that is more.
func (t *subreaperTree) usage(live bool) Usage {
	t.mu.Lock()
	u, held := t.used, !t.lost && !t.ended
	t.mu.Unlock()
	if !held { // its pid may be somebody else's by now
		return u
	}
	var cpu time.Duration
	if s, err := procs.Read(t.worker.proc.pid); err == nil {
		cpu = s.Kids
	}
	if found, err := procs.Below(t.worker.proc.pid); err == nil {
		for _, s := range found {
			cpu += s.CPU + s.Kids
			if live {
				u.held(s)
			}
		}
	}
	u.CPU = max(u.CPU, cpu)
	return u
}

func (t *subreaperTree) overran() Limit { return t.worker.bound.overran() }

// abandon closes the connection, upon which the subreaper kills the tree.
func (t *subreaperTree) abandon() {
	t.mu.Lock()
	t.abandoned = true
	t.mu.Unlock()
	t.worker.ctl.Close()
	t.worker.proc.abandon()
}

func (t *subreaperTree) free() {
	t.worker.ctl.Close()
	t.worker.proc.close()
	t.crew.bounds.discard(t.worker.bound)
}
