package kernel

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/reeverun/reeve/process"
)

// chatty makes a process with several runs of lines and events between them, one
// of whose logs is gone, and returns it with all its events.
func chatty(t *testing.T, r *rig) (process.ID, []process.Event) {
	t.Helper()
	script := strings.Repeat("out a\nout b\nerr c\noutput {\"n\":1}\nout d\n", 20)
	id := r.start(t, 0, script)
	for n := range 3 {
		if _, err := r.Wait(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if n == 2 {
			break
		}
		if err := r.Run(t.Context(), id, RunOptions{Force: true}); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.cfg.Logs.Remove(int64(id), 2); err != nil {
		t.Fatal(err)
	}
	var all []process.Event
	for after := int64(0); ; {
		page, err := r.Events(t.Context(), id, after, 50)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			return id, all
		}
		all = append(all, page...)
		after = all[len(all)-1].Seq
	}
}

// Pages by kind, forward and backward, hold what the whole list holds.
func TestEventPages(t *testing.T) {
	logs := diskLogs(t)
	r := newRig(t, 0, func(c *Config) { c.Logs, c.RawOutput = logs, process.Persist })
	id, all := chatty(t, r)
	last := all[len(all)-1].Seq
	some := []process.Kind{process.KindOutputAppended, process.KindOutputElided, process.KindFinalized, process.KindReaped, process.KindProcessQueued, process.KindPaused}
	rapid.Check(t, func(rt *rapid.T) {
		q := process.EventQuery{
			After:  rapid.Int64Range(0, last+3).Draw(rt, "after"),
			Before: rapid.SampledFrom([]int64{0, rapid.Int64Range(1, last+3).Draw(rt, "before")}).Draw(rt, "backward"),
			Limit:  rapid.IntRange(1, 60).Draw(rt, "limit"),
		}
		if rapid.Bool().Draw(rt, "only") {
			q.Only = rapid.SliceOfN(rapid.SampledFrom(some), 1, 3).Draw(rt, "kinds")
		}
		if rapid.Bool().Draw(rt, "but") {
			q.Except = rapid.SliceOfN(rapid.SampledFrom(some), 1, 3).Draw(rt, "except")
		}
		got, err := r.EventPage(t.Context(), id, q)
		if err != nil {
			rt.Fatal(err)
		}
		want := selected(all, q)
		if q.Before == 0 && q.All() { // about so many
			if len(want) > 0 && len(got.Events) < min(q.Limit, len(want)) {
				rt.Fatalf("%+v: %d events of %d", q, len(got.Events), len(want))
			}
			want = want[:min(len(got.Events), len(want))]
		} else if q.Before == 0 {
			want = want[:min(q.Limit, len(want))]
		} else {
			want = want[max(0, len(want)-q.Limit):]
		}
		if !slices.Equal(seqs(got.Events), seqs(want)) {
			rt.Fatalf("%+v:\n got %v\nwant %v", q, seqs(got.Events), seqs(want))
		}
		if got.Last != last || got.Next < q.After || len(got.Events) > 0 && got.Next < got.Events[len(got.Events)-1].Seq {
			rt.Fatalf("%+v: next %d, last %d", q, got.Next, got.Last)
		}
	})
}

// selected is what a query selects of all events, its limit aside. A gap that
// Before or After cuts is shorter, and told by its new end.
func selected(all []process.Event, q process.EventQuery) (out []process.Event) {
	for _, ev := range all {
		if d, ok := ev.Data.(process.OutputElided); ok && q.Before > 0 && d.FromSeq < q.Before && d.ToSeq >= q.Before {
			ev.Seq = q.Before - 1
		}
		if ev.Seq > q.After && (q.Before == 0 || ev.Seq < q.Before) && q.Keeps(ev.Kind) {
			out = append(out, ev)
		}
	}
	return out
}

func seqs(events []process.Event) (out []int64) {
	for i := range events {
		out = append(out, events[i].Seq)
	}
	return out
}

// Who does not want lines is not held up by them, misses nothing and sees the
// end, while one who does not read them lags. Nor are lines kept for it.
func TestFloodDoesNotReachWhoLeavesItOut(t *testing.T) {
	r := newRig(t, 0, func(c *Config) { c.SubscriberBuffer = 64 })
	id := r.start(t, 0, "gate g\n"+strings.Repeat("out line\n", 5000))
	r.await(t, id, "running", isRunning)
	kinds := process.KindFilter{Except: []process.Kind{process.KindOutputAppended}}
	dry, err := r.SubscribeKinds(t.Context(), id, 0, kinds)
	if err != nil {
		t.Fatal(err)
	}
	all := r.Subscribe(0, Filter{Kinds: kinds})
	if p := r.table.get(id); !p.unread() || p.unwatched() {
		t.Errorf("unread %v, unwatched %v", p.unread(), p.unwatched())
	}
	slow := r.Subscribe(0, Filter{}) // reads nothing
	defer slow.Close()
	r.fake.Open("g")
	if _, err := r.Wait(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	wantDry(t, dry, id)
	var seen []process.Kind
	for ev := range all.All(t.Context()) {
		if seen = append(seen, ev.Kind); ev.Kind == process.KindFinalized {
			break
		}
	}
	if slices.Contains(seen, process.KindLagged) || slices.Contains(seen, process.KindOutputAppended) || seen[0] != process.KindProcessCreated {
		t.Errorf("of all processes: %v", seen)
	}
	again, err := r.SubscribeKinds(t.Context(), id, 0, kinds) // from the store
	if err != nil {
		t.Fatal(err)
	}
	wantDry(t, again, id)
}

func wantDry(t *testing.T, sub *Subscription, id process.ID) {
	t.Helper()
	var seen []process.Kind
	for ev := range sub.All(t.Context()) {
		seen = append(seen, ev.Kind)
	}
	if n := len(seen); n < 5 || seen[0] != process.KindProcessCreated || seen[n-1] != process.KindFinalized ||
		slices.Contains(seen, process.KindLagged) || slices.Contains(seen, process.KindOutputAppended) || slices.Contains(seen, process.KindOutputElided) {
		t.Errorf("process %d: %v", id, seen)
	}
}

// Lines that are left out are not read, however many there are.
func TestLinesLeftOutAreNotRead(t *testing.T) {
	logs := diskLogs(t)
	r := newRig(t, 0, func(c *Config) { c.Logs, c.RawOutput = logs, process.Persist })
	id, _ := chatty(t, r)
	for run := 1; run <= 3; run++ {
		if err := logs.Remove(int64(id), run); err != nil { // reading would make gaps of them
			t.Fatal(err)
		}
	}
	q := process.EventQuery{Limit: 1000, KindFilter: process.KindFilter{Except: []process.Kind{process.KindOutputAppended}}}
	for _, before := range []int64{0, 1 << 60} {
		q.Before = before
		page, err := r.EventPage(t.Context(), id, q)
		if err != nil || slices.ContainsFunc(page.Events, func(ev process.Event) bool { return ev.Kind == process.KindOutputElided }) {
			t.Errorf("before %d: %v, %v", before, page.Events, err)
		}
	}
}
