package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

func testPages(f *fixture) {
	for range 25 {
		f.add()
	}
	var got []process.ID
	q := process.Query{Limit: 10}
	for {
		page := f.list(q)
		if len(page) == 0 {
			break
		}
		got = append(got, ids(page)...)
		q.Cursor = page[len(page)-1].ID.String()
	}
	var want []process.ID
	for id := process.ID(25); id > 0; id-- {
		want = append(want, id)
	}
	f.wantSame("all pages", got, want)

	// A page does not move when something newer appears.
	f.add()
	f.wantSame("second page", ids(f.list(process.Query{Limit: 3, Cursor: "23"})), []process.ID{22, 21, 20})
}

// The values random processes and queries are made of.
var (
	someTags  = []string{"", "ci", "nightly", "rare", "never"}
	someTexts = []string{"Build all", "ÄRGER", "a\"b<c>&", "50%_x", "\u212Aelvin", "program", "日本"}
	sought    = []string{"make build", "BUILD", "ärger", "b<C", "%", "_", "k", "kelvin", "1", "ref-", "本", "program", "日", "é", "\xff", "command", "night", "nothing like it", `\`, "make  "}
	someEnvs  = []string{"", process.EnvCommand, process.EnvFunction, "typescript", "nope"}
)

func testQueryOracle(f *fixture) {
	all := f.randomProcesses(300)
	rapid.Check(f.T, func(t *rapid.T) {
		for range 2 {
			q := drawQuery(t, all)
			norm, err := q.Normalize()
			if err != nil {
				t.Fatal(err)
			}
			got, err := f.s.Processes(f.ctx, norm)
			if err != nil {
				t.Fatal(err)
			}
			if want := oracle(all, norm); !slices.Equal(ids(got), want) {
				t.Fatalf("%+v:\n got %v\nwant %v", q, ids(got), want)
			}
		}
	})
}

// oracle answers a query by Query.Matches alone.
func oracle(all []*process.Process, q process.Query) []process.ID {
	before, _ := q.Before()
	out := []process.ID{}
	for _, p := range slices.Backward(all) {
		if (before == 0 || p.ID < before) && q.Matches(p) && len(out) < q.Limit {
			out = append(out, p.ID)
		}
	}
	return out
}

// randomProcesses stores processes of every kind, with their own random
// sequence, in batches, and deletes some of them again.
func (f *fixture) randomProcesses(n int) []*process.Process {
	r := rand.New(rand.NewPCG(1, 2))
	var all []*process.Process
	for len(all) < n {
		var batch []store.Change
		for range 1 + r.IntN(40) {
			p := f.process(func(p *process.Process) { randomize(r, p) })
			all = append(all, p)
			batch = append(batch, f.insertion(p))
			if r.IntN(2) == 0 {
				next := *p
				randomState(r, &next)
				*p = next
				batch = append(batch, store.Change{Update: next.Clone()})
			}
		}
		f.apply(batch...)
	}
	return slices.DeleteFunc(all, func(p *process.Process) bool {
		gone := r.IntN(10) == 0
		if gone {
			if err := f.s.Delete(f.ctx, p.ID); err != nil {
				f.Fatal(err)
			}
			for _, c := range all {
				if c.Parent == p.ID {
					c.Parent = 0
				}
			}
		}
		return gone
	})
}

func randomize(r *rand.Rand, p *process.Process) {
	p.Environment = someEnvs[1+r.IntN(3)]
	for _, tag := range someTags[1:4] {
		if r.IntN(len(tag)) < 2 {
			p.Tags = append(p.Tags, tag)
		}
	}
	if r.IntN(4) == 0 {
		p.Ref = fmt.Sprint("ref-", p.ID)
	}
	if r.IntN(3) == 0 {
		p.Label = someTexts[r.IntN(len(someTexts))] + fmt.Sprint(r.IntN(20))
	}
	if r.IntN(3) == 0 {
		p.Command = &process.Command{Program: "/bin/Make", Args: []string{someTexts[r.IntN(len(someTexts))], "-C\xff"}}
	}
	if r.IntN(3) == 0 {
		p.Code = strings.Repeat("é", r.IntN(2)*198) + someTexts[r.IntN(len(someTexts))]
	}
	if p.ID > 3 && r.IntN(3) == 0 {
		p.Parent = process.ID(1 + r.IntN(3))
	}
	if r.IntN(20) == 0 { // the clock is set back now and then
		p.CreatedAt = p.CreatedAt.Add(-time.Duration(r.IntN(100)) * time.Second)
	}
	randomState(r, p)
}

func randomState(r *rand.Rand, p *process.Process) {
	p.State = process.States()[r.IntN(4)]
	p.ExitState = append(process.ExitStates(), process.ExitNone)[r.IntN(5)]
	p.Lifecycle = process.Lifecycle(r.IntN(4))
	p.Paused = r.IntN(5) == 0
	p.Output = map[string]any{"said": `"paused":true`} // what looks like it is not
}

func drawQuery(t *rapid.T, all []*process.Process) process.Query {
	var q process.Query
	some := func(name string) bool { return rapid.IntRange(0, 2).Draw(t, name) == 0 }
	seldom := func(name string) bool { return rapid.IntRange(0, 5).Draw(t, name) == 0 }
	any := func(name string) *process.Process { return rapid.SampledFrom(all).Draw(t, name) }
	if some("by state") {
		q.State = rapid.SampledFrom(process.States()).Draw(t, "state")
	}
	if some("by status") {
		s := rapid.SampledFrom(append(process.ExitStates(), process.ExitNone)).Draw(t, "status")
		q.Status = &s
	}
	if seldom("by states") {
		q.States = rapid.SliceOfN(rapid.SampledFrom(process.States()), 1, 3).Draw(t, "states")
	}
	if seldom("by statuses") {
		q.Statuses = rapid.SliceOfN(rapid.SampledFrom(append(process.ExitStates(), process.ExitNone)), 1, 3).Draw(t, "statuses")
	}
	if seldom("by id") {
		for range rapid.IntRange(1, 40).Draw(t, "ids") {
			q.IDs = append(q.IDs, process.ID(rapid.IntRange(1, 2*len(all)).Draw(t, "id")))
		}
	}
	if seldom("by text") {
		q.Text = rapid.SampledFrom(sought).Draw(t, "text")
	}
	q.Paused = seldom("paused")
	q.NoCode = rapid.Bool().Draw(t, "no code")
	q.Tag = rapid.SampledFrom(someTags).Draw(t, "tag")
	q.Environment = rapid.SampledFrom(someEnvs).Draw(t, "environment")
	if rapid.IntRange(0, 9).Draw(t, "by ref") == 0 {
		q.Ref = any("ref of").Ref
	}
	if some("by parent") {
		q.Parent = process.ID(rapid.IntRange(0, 4).Draw(t, "parent"))
	}
	if some("since") {
		q.Since = any("since").CreatedAt
	}
	if some("until") {
		q.Until = any("until").CreatedAt
	}
	if some("cursor") {
		q.Cursor = any("cursor").ID.String()
	}
	q.Limit = rapid.SampledFrom([]int{1, 3, 50, process.MaxLimit}).Draw(t, "limit")
	return q
}

// testClockSteps: ids are in order, clocks are not; the time filters go by the clock.
func testClockSteps(f *fixture) {
	var all []*process.Process
	day := 24 * time.Hour
	for _, offset := range []time.Duration{0, day, 2 * day, -day, day, 0, 3 * day, -2 * day, 4 * day} {
		all = append(all, f.add(func(p *process.Process) { p.CreatedAt = start.Add(offset) }))
	}
	// Ids may be stored late, in another order than they were given out.
	var late []store.Change
	for i, n := range []int{5, 2, 9, 1, 7, 3, 8, 4, 6, 0} {
		p := &process.Process{ID: process.ID(100 + n), State: process.Queued, Spec: process.Spec{Environment: "x"},
			CreatedAt: start.Add(day*time.Duration((i*7)%10) - 5*day)}
		late = append(late, store.Change{Insert: p})
		all = append(all, p)
	}
	f.apply(late[:4]...)
	f.apply(late[4:6]...)
	f.apply(late[6:]...)
	slices.SortFunc(all, func(a, b *process.Process) int { return int(a.ID - b.ID) })
	far := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	times := []time.Time{{}, time.Unix(0, 0), start.Add(day + 1), far}
	for n := range 12 {
		times = append(times, start.Add(time.Duration(n-6)*day))
	}
	for _, at := range times {
		for _, q := range []process.Query{{Since: at, Limit: 4}, {Until: at, Limit: 4}, {Since: start, Until: at, Limit: 4}} {
			if got, want := ids(f.list(q)), oracle(all, q); !slices.Equal(got, want) {
				f.Errorf("%+v: got %v, want %v", q, got, want)
			}
		}
	}
}
