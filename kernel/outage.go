package kernel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// While the store cannot be written the kernel goes on: what runs keeps running
// and can be read, and what happens to it is kept in memory, in order, and
// stored when the store is back. What was only asked for is refused, so that
// nothing is acknowledged that a crash would take back.

// How an outage is gone through.
const (
	firstRetry   = 10 * time.Millisecond
	lastRetry    = time.Second
	hurriedTries = 5               // of a kernel that closes
	hurriedFor   = 3 * time.Second // at most; a try that waits for a lock takes long
	remindEvery  = time.Minute
	sameOutage   = 10 * time.Second // between two that are one
	shortOutage  = 2 * time.Second  // the longest that does not count against readiness
	ackWithin    = 5 * time.Second  // those who asked for something wait, once it lasts longer
	maxWaiting   = 100_000          // entries, beyond which runs wait before they say more
	paceTick     = 10 * time.Millisecond
)

// trouble is an outage of the store.
type trouble struct {
	since time.Time
	err   error
}

// unavailable reports whether an error is the store's own, not the entry's.
func unavailable(err error) bool {
	var u *store.Unavailable
	return errors.As(err, &u)
}

// outage is what the journal remembers of the last one. A store that is almost
// full takes some writes and not others: what follows soon is one outage, and
// told once.
type outage struct {
	since, over time.Time
	told        time.Time
	complained  bool // and not yet said that it is over
}

// endure keeps a batch, and all that follows it, until the store takes it. It
// returns when all of it is stored, or the kernel closes and gives up.
func (j *journal) endure(batch, rest []*entry, since time.Time, err error) {
	if since.Sub(j.last.over) > sameOutage {
		j.last.since = since
	}
	j.trouble.Store(&trouble{j.last.since, err})
	batch = j.join(slices.Clone(batch), rest)
	var hurried time.Time
	for tries, wait := 1, firstRetry; ; tries++ {
		j.trouble.Store(&trouble{j.last.since, err})
		batch = j.refuse(batch, err)
		if j.hurry.Load() && hurried.IsZero() {
			hurried = time.Now()
		}
		if j.dead || !hurried.IsZero() && (tries > hurriedTries || time.Since(hurried) > hurriedFor) {
			j.giveUp(batch, err)
			return
		}
		j.complain(len(batch), err)
		time.Sleep(wait)
		wait = min(2*wait, lastRetry)
		batch = j.gather(batch)
		if err = j.tryAll(batch); err == nil {
			j.publish(batch)
			break
		}
		if !unavailable(err) {
			if batch, err = j.piecemeal(batch); err == nil {
				break
			}
		}
	}
	j.trouble.Store(nil)
	j.last.over = time.Now()
	if j.last.complained {
		j.last.complained = false
		j.log.Info("records can be written again", "after", time.Since(j.last.since).Round(time.Millisecond).String())
	}
}

// complain says what is wrong, now and then.
func (j *journal) complain(waiting int, err error) {
	if now := time.Now(); now.Sub(j.last.told) >= remindEvery {
		j.last.told, j.last.complained = now, true
		j.log.Error("records cannot be written; they are kept in memory and tried again", "waiting", waiting, "error", err)
	}
}

// tryAll stores a batch, or finds out otherwise whether something could be.
func (j *journal) tryAll(batch []*entry) error {
	changes := merge(batch)
	if p, ok := j.store.(store.Prober); ok && len(changes) == 0 {
		return p.Probe(context.Background())
	}
	return j.store.Apply(context.Background(), changes)
}

// gather adds what was queued meanwhile to a batch.
func (j *journal) gather(batch []*entry) []*entry {
	fresh, _ := j.take(nil)
	return j.join(batch, fresh)
}

// join adds entries to a batch that waits. Lines of a process of which nothing
// waits to be stored are shown at once.
func (j *journal) join(batch, fresh []*entry) []*entry {
	batch = j.living(batch)
	waits := make(map[*proc]bool, len(batch))
	for _, e := range batch {
		waits[e.p] = true
	}
	for _, e := range j.living(fresh) {
		if e.exec != nil { // it cannot share a commit
			j.finish(e, unrecorded("nothing was done", j.trouble.Load().err))
			continue
		}
		j.number(e)
		if !waits[e.p] && e.stores() {
			waits[e.p] = true
		}
		if waits[e.p] {
			batch = append(batch, e)
		} else {
			j.finish(e, nil)
		}
	}
	return batch
}

// refuse fails what was only asked for and keeps the rest.
func (j *journal) refuse(batch []*entry, err error) []*entry {
	kept := make([]*entry, 0, len(batch))
	for _, e := range batch {
		if e.asked {
			j.finish(e, unrecorded("nothing was done", err))
		} else {
			kept = append(kept, e)
		}
	}
	return kept
}

// giveUp leaves what could not be stored to the next host, which finds less
// than has happened and says so.
func (j *journal) giveUp(batch []*entry, err error) {
	j.log.Error("records could not be written before the end; the next daemon settles what they told of", "lost", len(batch), "error", err)
	j.dead = true // and the rest is not kept waiting
	for _, e := range batch {
		j.finish(e, err)
	}
}

// unrecorded is what callers are told in an outage.
func unrecorded(what string, err error) error {
	return &process.Error{Code: process.CodeNoEnvironment, Message: what,
		Err: fmt.Errorf("%w: %w", process.ErrUnrecorded, err), Hint: "try again: it works when the cause is gone"}
}

// Trouble says why nothing can be recorded at the moment, and since when; nil if
// it can be. A hiccup is none.
func (k *Kernel) Trouble() error {
	t := k.journal.trouble.Load()
	if t == nil || time.Since(t.since) < shortOutage {
		return nil
	}
	return unrecorded("new processes are refused since "+t.since.UTC().Format(time.RFC3339), t.err)
}

// acknowledged returns when what was done is recorded. In an outage it does not
// wait for long: it is done, and will be recorded, but who asked is not told that
// it is.
func (k *Kernel) acknowledged(ctx context.Context, c <-chan error) error {
	within := time.NewTimer(ackWithin)
	defer within.Stop()
	for {
		select {
		case err := <-c:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-within.C:
			if t := k.journal.trouble.Load(); t != nil {
				return unrecorded("what was asked for is done and recorded later", t.err)
			}
			within.Reset(ackWithin)
		}
	}
}

// keepPace holds up a run that has more to say while too much waits to be
// recorded: memory is bounded, programs can wait. No lock is held.
func (p *proc) keepPace() {
	for p.k.journal.waiting.Load() > p.k.journal.most && !p.k.closing.Load() {
		p.mu.Lock()
		ending := p.resolved || p.shallEnd()
		p.mu.Unlock()
		if ending {
			return
		}
		time.Sleep(paceTick)
	}
}
