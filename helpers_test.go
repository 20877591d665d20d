package reeve_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/process"
)

func TestMain(m *testing.M) {
	if mode := os.Getenv("REEVE_TEST_HOST"); mode != "" {
		os.Exit(testHost(mode))
	}
	goleak.VerifyTestMain(m)
}

// limit bounds every wait: a test that would hang fails instead.
const limit = 30 * time.Second

func bounded(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	return ctx
}

// open starts a runtime that ends with the test.
func open(t testing.TB, cfg reeve.Config) *reeve.Runtime {
	t.Helper()
	rt, err := reeve.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal("open:", err)
	}
	t.Cleanup(func() {
		if err := rt.Close(); err != nil {
			t.Error("close:", err)
		}
	})
	return rt
}

func spawn(t testing.TB, rt *reeve.Runtime, task *reeve.Task) *reeve.Handle {
	t.Helper()
	p, err := rt.Spawn(t.Context(), task)
	if err != nil {
		t.Fatal("spawn:", err)
	}
	return p
}

func wait(t testing.TB, p *reeve.Handle) reeve.Outcome {
	t.Helper()
	o, err := p.Wait(bounded(t))
	if err != nil {
		t.Fatal("wait:", err)
	}
	return o
}

// finish spawns a task and returns its record when it is over.
func finish(t testing.TB, rt *reeve.Runtime, task *reeve.Task) *reeve.Process {
	t.Helper()
	p := spawn(t, rt, task)
	wait(t, p)
	return record(t, rt, p.ID())
}

func record(t testing.TB, rt *reeve.Runtime, id reeve.ID) *reeve.Process {
	t.Helper()
	rec, err := rt.Process(t.Context(), id)
	if err != nil {
		t.Fatal("process:", err)
	}
	return rec
}

// events returns all events of a process, to the end of its run.
func events(t testing.TB, rt *reeve.Runtime, id reeve.ID) []reeve.Event {
	t.Helper()
	sub, err := rt.SubscribeProcess(t.Context(), id, 0)
	if err != nil {
		t.Fatal("subscribe:", err)
	}
	var all []reeve.Event
	for ev := range sub.All(bounded(t)) {
		all = append(all, ev)
	}
	if sub.Err() != nil {
		t.Fatal("events:", sub.Err())
	}
	return all
}

// stored leaves out what is live only.
func stored(all []reeve.Event) (out []reeve.Event) {
	for _, ev := range all {
		if !ev.Live() {
			out = append(out, ev)
		}
	}
	return out
}

func kinds(all []reeve.Event) string {
	var names []string
	for _, ev := range all {
		names = append(names, string(ev.Kind))
	}
	return strings.Join(names, " ")
}

func count(all []reeve.Event, k process.Kind) (n int) {
	for _, ev := range all {
		if ev.Kind == k {
			n++
		}
	}
	return n
}

// lines returns the finished lines of a stream.
func lines(all []reeve.Event, s reeve.Stream) (out []string) {
	for _, ev := range all {
		if o, ok := ev.Data.(process.OutputAppended); ok && o.Stream == s && !o.Partial {
			out = append(out, o.Line)
		}
	}
	return out
}

func output(t testing.TB, rt *reeve.Runtime, id reeve.ID, s reeve.Stream) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := rt.WriteOutput(t.Context(), &b, id, 0, s); err != nil {
		t.Fatal("output:", err)
	}
	return b.String()
}

// awaitEvent follows a process until an event satisfies want.
func awaitEvent(t testing.TB, rt *reeve.Runtime, id reeve.ID, want func(reeve.Event) bool) reeve.Event {
	t.Helper()
	sub, err := rt.SubscribeProcess(t.Context(), id, 0)
	if err != nil {
		t.Fatal("subscribe:", err)
	}
	for ev := range sub.All(bounded(t)) {
		if want(ev) {
			return ev
		}
	}
	t.Fatalf("process %d never got there (%v)", id, sub.Err())
	return reeve.Event{}
}

func isKind(k process.Kind) func(reeve.Event) bool {
	return func(ev reeve.Event) bool { return ev.Kind == k }
}

func isLine(text string) func(reeve.Event) bool {
	return func(ev reeve.Event) bool {
		o, ok := ev.Data.(process.OutputAppended)
		return ok && strings.Contains(o.Line, text)
	}
}

// gapless fails unless seqs count from 1 without a gap, elided ranges included.
func gapless(t testing.TB, all []reeve.Event) {
	t.Helper()
	next := int64(1)
	for _, ev := range stored(all) {
		from := ev.Seq
		if e, ok := ev.Data.(process.OutputElided); ok {
			from = e.FromSeq
		}
		if from != next {
			t.Fatalf("seq %d (%s) where %d was due", from, ev.Kind, next)
		}
		next = ev.Seq + 1
	}
}

func files(t testing.TB, dir string) (names []string) {
	t.Helper()
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.Contains(path, ".spare-") {
			rel, _ := filepath.Rel(dir, path)
			names = append(names, rel)
		}
		return nil
	})
	return names
}
