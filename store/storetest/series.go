package storetest

import (
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// someSeries makes a series of n samples.
func (f *fixture) someSeries(run, n int) process.UsageSeries {
	s := process.UsageSeries{Run: run, StepMS: 2000}
	for i := range int64(n) {
		s.Samples = append(s.Samples, process.UsageSample{At: process.Stamp{Time: f.tick().Truncate(time.Millisecond)},
			CPUMS: 10 * i, RSSBytes: 1<<40 + i, PIDs: int(i), Tokens: 3 * i})
	}
	return s
}

// testSeries: one for each run, replaced as a whole, gone with the logs of its run
// and with its process.
func testSeries(f *fixture) {
	_, err := f.s.Series(f.ctx, 1, 1)
	f.wantErr("of an unknown process", err, process.ErrNotFound)
	p, other := f.add(), f.add()
	f.wantSame("none", must(f.s.Series(f.ctx, p.ID, 1))(f), process.UsageSeries{Run: 1})
	first, longer := f.someSeries(1, 3), f.someSeries(1, process.MaxSamples)
	f.apply(store.Change{ID: p.ID, Series: []process.UsageSeries{first}})
	f.wantSame("first", must(f.s.Series(f.ctx, p.ID, 1))(f), first)
	end := f.finishing(p)
	end.Series = []process.UsageSeries{longer}
	f.apply(end, store.Change{ID: other.ID, Series: []process.UsageSeries{f.someSeries(1, 2)}})
	f.wantSame("replaced", must(f.s.Series(f.ctx, p.ID, 1))(f), longer)
	f.rerun(p)
	second := f.someSeries(2, 1)
	f.apply(store.Change{ID: p.ID, Series: []process.UsageSeries{second}})
	f.wantSame("of an earlier run", must(f.s.Series(f.ctx, p.ID, 1))(f), longer)
	if err := f.s.LogsPruned(f.ctx, []store.RunRef{{Process: p.ID, Run: 1}}); err != nil {
		f.Fatal(err)
	}
	f.wantSame("pruned", must(f.s.Series(f.ctx, p.ID, 1))(f), process.UsageSeries{Run: 1})
	f.wantSame("not pruned", must(f.s.Series(f.ctx, p.ID, 2))(f), second)
	f.finish(other)
	if err := f.s.Delete(f.ctx, other.ID); err != nil {
		f.Fatal(err)
	}
	_, err = f.s.Series(f.ctx, other.ID, 1)
	f.wantErr("of a deleted process", err, process.ErrNotFound)
}
