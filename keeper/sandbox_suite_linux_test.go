package keeper_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/keepertest"
)

// inSandbox is a spawner whose every job is confined; one without a folder
// gets that of the test, which holds the suite's scripts.
type inSandbox struct {
	keeper.Spawner
	kind keeper.Sandbox
	dir  string
}

func (s inSandbox) Spawn(ctx context.Context, spec keeper.Spec) (keeper.Job, error) {
	spec.Sandbox = s.kind
	if spec.Dir == "" {
		spec.Dir = s.dir
	}
	return s.Spawner.Spawn(ctx, spec)
}

// inShort is the sandbox and the tier that differ most from none; make torture
// has all.
func inShort(kind keeper.Sandbox, tier keeper.Tier) bool {
	if os.Getenv("REEVE_TORTURE") != "" {
		return true
	}
	best := keeper.TierCgroup2
	if os.Getuid() != 0 {
		best = keeper.TierSubreaper
	}
	return kind == keeper.Sandboxed && tier == best
}

// Trees are held in every sandbox as outside: the whole suite, per tier.
func TestConformanceInSandboxes(t *testing.T) {
	for _, kind := range []keeper.Sandbox{keeper.Confined, keeper.Sandboxed} {
		for _, tier := range []keeper.Tier{keeper.TierCgroup2, keeper.TierSubreaper, keeper.TierGroup} {
			t.Run(string(kind)+"/"+string(tier), func(t *testing.T) {
				if !inShort(kind, tier) {
					t.Skip("make torture runs the suite in this sandbox and tier, too")
				}
				s, err := keeper.NewInProcess(keeper.Options{Name: t.Name(), Tier: tier})
				if err != nil {
					t.Skip(err)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				keepertest.Run(t, func(t *testing.T) keeper.Spawner {
					return inSandbox{open(t, keeper.Options{Tier: tier}), kind, filepath.Dir(t.TempDir())}
				})
			})
		}
	}
}
