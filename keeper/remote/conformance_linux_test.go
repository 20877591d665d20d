package remote_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/keepertest"
	"github.com/reeverun/reeve/keeper/remote"
)

// whole is a client whose Close ends what runs, as the suite expects of a
// spawner.
type whole struct {
	*remote.Client
	once sync.Once
	err  error
}

func (w *whole) Close() error {
	w.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		w.err = w.Shutdown(ctx)
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
			keepertest.Run(t, func(t *testing.T) keeper.Spawner {
				c := config(t)
				c.Tier, c.Idle = r.Tier, 5*time.Second
				cl, err := remote.Connect(soon(t), c)
				if err != nil {
					t.Fatal(err)
				}
				return &whole{Client: cl}
			})
		})
	}
}
