//go:build unix

package keeper_test

import (
	"os"
	"runtime"
	"testing"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/keepertest"
)

func TestConformance(t *testing.T) {
	tiers := []keeper.Tier{keeper.TierGroup}
	if runtime.GOOS == "linux" {
		tiers = []keeper.Tier{keeper.TierCgroup2, keeper.TierSubreaper, keeper.TierGroup}
	}
	for _, tier := range tiers {
		t.Run(string(tier), func(t *testing.T) {
			if os.Getuid() == 0 && tier != keeper.TierCgroup2 && os.Getenv("REEVE_TORTURE") == "" {
				t.Skip("TestOrdinaryUser runs the suite in this tier as nobody; make torture does so as root, too")
			}
			s, err := keeper.NewInProcess(keeper.Options{Name: t.Name(), Tier: tier})
			if err != nil {
				t.Skip(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			keepertest.Run(t, func(t *testing.T) keeper.Spawner { return open(t, keeper.Options{Tier: tier}) })
		})
	}
}

// open opens a spawner that the caller closes.
func open(t testing.TB, o keeper.Options) keeper.Spawner {
	t.Helper()
	if o.Name == "" {
		o.Name = t.Name()
	}
	s, err := keeper.NewInProcess(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
