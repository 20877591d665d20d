package kernel

import (
	"slices"
	"testing"

	"github.com/reeverun/reeve/process"
	"pgregory.net/rapid"
)

// The order is that of a sorted map, whatever enters and leaves.
func TestOrderIsThatOfItsIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var o order
		held := map[process.ID]*proc{}
		id := rapid.Int64Range(1, 40)
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				p := &proc{id: process.ID(id.Draw(t, "id"))}
				held[p.id] = p
				o.add(p)
			},
			"remove": func(t *rapid.T) {
				i := process.ID(id.Draw(t, "id"))
				if p := held[i]; p != nil {
					o.remove(p)
					delete(held, i)
				} else {
					o.remove(&proc{id: i})
				}
			},
			"a late removal of an earlier run": func(t *rapid.T) { o.remove(&proc{id: process.ID(id.Draw(t, "id"))}) },
			"": func(t *rapid.T) {
				before, n := process.ID(id.Draw(t, "before")), rapid.IntRange(0, 50).Draw(t, "n")
				var want []*proc
				for i := process.ID(41); i > 0; i-- {
					if p := held[i]; p != nil && i < before && len(want) < n {
						want = append(want, p)
					}
				}
				if got := o.below(before, n); !slices.Equal(got, want) {
					t.Fatalf("below %d: %d runs, want %d", before, len(got), len(want))
				}
				if got := o.below(0, 100); len(got) != len(held) {
					t.Fatalf("%d of %d", len(got), len(held))
				}
			},
		})
	})
}
