package kernel

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/reeverun/reeve/process"
)

// signalsAtOnce bounds how many of a tree are signalled side by side: some take
// their time to pause, and those that only have to be told share a commit.
const signalsAtOnce = 1024

// signalBelow signals what runs below p, round after round: what is born
// while a round is under way is found by the next one.
func (k *Kernel) signalBelow(ctx context.Context, p *proc, s process.Signal, o SignalOptions) (affected int, err error) {
	var all tally
	for seen := map[*proc]bool{}; ; {
		var fresh []*proc
		for _, c := range k.table.descendants(p) {
			if !seen[c] {
				seen[c] = true
				fresh = append(fresh, c)
			}
		}
		if len(fresh) == 0 || ctx.Err() != nil {
			return int(all.changed.Load()), all.err()
		}
		var next atomic.Int64
		var round sync.WaitGroup
		for range min(len(fresh), signalsAtOnce) {
			round.Go(func() {
				for i := next.Add(1) - 1; i < int64(len(fresh)); i = next.Add(1) - 1 {
					changed, err := fresh[i].signal(ctx, s, o)
					all.add(fresh[i].id, changed, err)
				}
			})
		}
		round.Wait()
	}
}

// tally is how the signals to a tree went.
type tally struct {
	changed atomic.Int64

	mu     sync.Mutex
	failed int
	errs   []error // the first few
}

// maxTold bounds the errors of a tree that are told in full.
const maxTold = 10

func (t *tally) add(id process.ID, changed bool, err error) {
	if changed {
		t.changed.Add(1)
	}
	if err == nil || errors.Is(err, process.ErrNotRunning) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed++; t.failed <= maxTold {
		t.errs = append(t.errs, fmt.Errorf("process %d: %w", id, err))
	}
}

func (t *tally) err() error {
	if more := t.failed - len(t.errs); more > 0 {
		t.errs = append(t.errs, fmt.Errorf("and %d more could not be signalled", more))
	}
	return errors.Join(t.errs...)
}
