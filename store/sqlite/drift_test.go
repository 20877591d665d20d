package sqlite

import (
	"math"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

func TestDrift(t *testing.T) {
	d := drift{high: never}
	for _, at := range []int64{10, 20, 15, 30, 12, 40} {
		d.see(at)
	}
	if d != (drift{high: 40, skew: 18}) {
		t.Errorf("got %+v", d)
	}
	d.see(never)
	if d.skew != math.MaxInt64 {
		t.Errorf("got %+v", d)
	}
	for _, tt := range [][3]int64{{1, 2, 3}, {math.MaxInt64, 1, math.MaxInt64}, {-5, math.MaxInt64, math.MaxInt64 - 5}} {
		if got := plus(tt[0], tt[1]); got != tt[2] {
			t.Errorf("%d + %d = %d", tt[0], tt[1], got)
		}
	}
	for _, tt := range [][3]int64{{5, 2, 3}, {never, 1, never}, {0, never, math.MaxInt64}, {-2, math.MaxInt64, math.MinInt64}} {
		if got := minus(tt[0], tt[1]); got != tt[2] {
			t.Errorf("%d - %d = %d, want %d", tt[0], tt[1], got, tt[2])
		}
	}
}

// The search finds its place whatever the clock did, within the skew it left.
func TestTimelineSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := map[int64]int64{}
		d := drift{high: never}
		last := int64(0)
		for _, step := range rapid.SliceOfN(rapid.Int64Range(1, 5), 1, 60).Draw(t, "gaps") {
			last += step
			times[last] = rapid.Int64Range(1, 100).Draw(t, "time")
			d.see(times[last])
		}
		tl := timeline{first: 1, last: last, at: func(key int64) (int64, int64, error) {
			for ; times[key] == 0; key++ {
			}
			return key, times[key], nil
		}}
		want := rapid.Int64Range(0, 100).Draw(t, "t")
		k, err := tl.search(want)
		if err != nil {
			t.Fatal(err)
		}
		for key, at := range times {
			if key < k && at >= want+d.skew || key >= k && at < want-d.skew {
				t.Fatalf("search(%d) = %d, but key %d has %d (skew %d)", want, k, key, at, d.skew)
			}
		}
	})
}

// An id or cursor that is stored late may have a later time than those after
// it, without the clock ever going back.
func TestLateKeysWidenTheSkew(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "reeve.db"))
	base := newJobs().now
	change := func(id process.ID, cursor int64, at time.Duration) store.Change {
		e := process.New(process.ProcessQueued{})
		e.Process, e.Seq, e.Cursor, e.At = id, 1, cursor, base.Add(at)
		return store.Change{
			Insert: &process.Process{ID: id, State: process.Idle, CreatedAt: base.Add(at)},
			Events: []process.Event{e},
		}
	}
	apply(t, s, change(1, 1, 0), change(2, 2, 1))
	apply(t, s, change(9, 1009, 5), change(8, 1008, 4)) // out of order within a batch is none
	if s.marks.created.skew != 0 || s.marks.events.skew != 0 {
		t.Errorf("skew without a reason: %+v", s.marks)
	}
	apply(t, s, change(3, 900, 11))
	if s.marks.created.skew != 7 || s.marks.events.skew != 7 { // 11 against 4
		t.Errorf("got %+v", s.marks)
	}
	list, err := s.Processes(t.Context(), process.Query{Until: base.Add(6), Since: base.Add(1), Limit: 10})
	if err != nil || len(list) != 3 {
		t.Errorf("%d processes, %v; want 9, 8 and 2", len(list), err)
	}
	if n, err := s.PruneEvents(t.Context(), base.Add(6), "", 100); err != nil || n != 4 {
		t.Errorf("pruned %d, %v; want 4", n, err)
	}
}
