package keeper_test

import (
	"slices"
	"testing"

	"github.com/reeverun/reeve/keeper"
)

// The probe tells what a job then gets.
func TestProbeSandbox(t *testing.T) {
	s := open(t, keeper.Options{})
	defer s.Close()
	for _, kind := range []keeper.Sandbox{keeper.Confined, keeper.Sandboxed} {
		dir := t.TempDir()
		probed, err := keeper.ProbeSandbox(kind, dir)
		if err != nil {
			t.Fatal(err)
		}
		j, _ := shell(t, s, keeper.Spec{Sandbox: kind, Dir: dir}, "true")
		got := slices.DeleteFunc(slices.Clone(j.Enforced().Held), func(f string) bool { return f == "pids" || f == "tree-kill" })
		if !slices.Equal(probed.Held, got) {
			t.Errorf("%s: %q was probed, %q held", kind, probed.Held, got)
		}
	}
}
