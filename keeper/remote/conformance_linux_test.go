package remote_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/keepertest"
	"github.com/reeverun/reeve/keeper/remote"
)

// whole is a client whose Close ends what runs, as the suite expects of a
// spawner. The keeper is there for the next one.
type whole struct {
	*remote.Client
	end  bool // the keeper, too: it alone knows what was released and runs
	once sync.Once
	err  error
}

func (w *whole) Close() error {
	w.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if w.end {
			w.err = w.Shutdown(ctx)
			w.Client.Close()
			return
		}
		for _, i := range w.Jobs() {
			w.err = errors.Join(w.err, w.End(ctx, i.Name))
			w.Forget(i.Name)
		}
		w.Client.Close()
	})
	return w.err
}

func TestConformance(t *testing.T) {
	for _, r := range keeper.Probe() {
		if r.Tier == keeper.TierGroup {
			continue
		}
		t.Run(string(r.Tier), func(t *testing.T) {
			if !r.Available {
				t.Skip(r.Reason)
			}
			c := config(t)
			c.Tier = r.Tier
			connect(t, c) // and shuts it down
			keepertest.Run(t, func(t *testing.T) keeper.Spawner {
				cl, err := remote.Connect(soon(t), c)
				if err != nil {
					t.Fatal(err)
				}
				return &whole{Client: cl, end: strings.HasSuffix(t.Name(), "release_while_it_runs")}
			})
		})
	}
}
