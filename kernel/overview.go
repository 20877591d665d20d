package kernel

import (
	"context"
	"sync"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// overviewTags is how many tags an overview names.
const overviewTags = 100

// Overview tells how all processes are, in numbers. The first one has the store
// count; after that they are kept up to date as things happen.
func (k *Kernel) Overview(ctx context.Context) (process.Overview, error) {
	_, cursor := k.events.last()
	c, err := k.counts(ctx)
	if err != nil {
		return process.Overview{}, err
	}
	o := process.Overview{Cursor: cursor, At: k.now(), States: c.States, Paused: c.Paused,
		ExitStates: c.ExitStates, Environments: c.Environments, Activity: c.Activity}
	for _, n := range c.States {
		o.Total += n
	}
	if o.Approvals, err = k.cfg.Store.PendingApprovals(ctx); err != nil {
		return o, err
	}
	o.Tags, err = k.tags.get(ctx, k.cfg.Store)
	return o, err
}

// counts returns the census, which is begun if need be.
func (k *Kernel) counts(ctx context.Context) (store.Counts, error) {
	if c, ok := k.census.look(k.now()); ok {
		return c, nil
	}
	select {
	case k.census.turn <- struct{}{}:
		defer func() { <-k.census.turn }()
	case <-ctx.Done():
		return store.Counts{}, context.Cause(ctx)
	}
	if c, ok := k.census.look(k.now()); ok {
		return c, nil // somebody else has
	}
	var rest func() (store.Counts, error)
	begun := make(chan error, 1)
	k.journal.add(&entry{
		exec: func() (err error) { rest, err = k.census.begin(ctx, k.cfg.Store, k.now()); return err },
		done: func(err error) { begun <- err },
	})
	if err := await(ctx, begun); err != nil { // what was begun after ctx was over ends with it
		return store.Counts{}, err
	}
	c, err := rest()
	k.census.complete(c, err)
	if err != nil {
		return store.Counts{}, err
	}
	c, _ = k.census.look(k.now())
	return c, nil
}

// tagCounts remembers the most used tags for as long as counting them again
// would be too much: a twentieth of the time, at most, is spent on it.
type tagCounts struct {
	mu    sync.Mutex // also held while they are counted
	tags  []process.TagCount
	until time.Time
}

func (t *tagCounts) get(ctx context.Context, st store.Store) ([]process.TagCount, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	begun := time.Now()
	if begun.Before(t.until) {
		return t.tags, nil
	}
	tags, err := st.Tags(ctx, overviewTags)
	if err != nil {
		return nil, err
	}
	t.tags, t.until = tags, begun.Add(20*time.Since(begun))
	return tags, nil
}
