package kernel

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// A program's child takes no slot, is waited for without one, and is reaped.
func TestProgramWaitsForItsChild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 1)
		defer f.shut(t)
		id := f.spawn(t, "spawn out a; err b; sleep 1s; exit 3\nawait\nout on")
		synctest.Wait()
		if n := f.used("fake"); n != 0 {
			t.Errorf("%d slots are taken while it waits", n)
		}
		if rec := f.wait(t, id); rec.ExitState != process.ExitSuccess || rec.Usage.WallMS != 1000 {
			t.Errorf("%+v", rec)
		}
		if got := f.stdout(t, id); got != "child 2\nended 2 failed\na\nb\non\n" {
			t.Errorf("printed %q", got)
		}
		child := f.record(t, 2)
		if child.Parent != id || child.Lifecycle != process.LifecycleDead {
			t.Errorf("%+v", child)
		}
		if n := len(payloads[process.ChildSpawned](t, f, id)); n != 1 || f.used("fake") != 0 {
			t.Errorf("%d children, %d slots", n, f.used("fake"))
		}
	})
}

// The last 64 KiB of each stream come with the end, not in the middle of a
// character.
func TestAwaitBringsTheEndsOfOutput(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	parent := f.spawn(t, "hang")
	h := f.hostOf(t, parent)
	child, err := h.Spawn(t.Context(), process.Spec{Environment: "fake", Code: "out " + strings.Repeat("ü", MaxTail) + "\nerr short"})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // also when it is long over
		end, err := h.Await(t.Context(), child)
		if err != nil || end.Process.ID != child || end.Process.ExitState != process.ExitSuccess {
			t.Fatalf("%+v, %v", end.Process, err)
		}
		if out := string(end.Stdout); len(out) != MaxTail-1 || strings.Trim(out, "ü") != "\n" || string(end.Stderr) != "short\n" {
			t.Errorf("%d bytes of stdout, stderr %q", len(out), end.Stderr)
		}
	}
}

// hostOf is the host of a run that executes.
func (f *fixture) hostOf(t testingT, id process.ID) env.Host {
	t.Helper()
	if !eventually(func() bool { return f.record(t, id).State == process.Running }) {
		t.Fatalf("process %d does not run", id)
	}
	return &host{f.table.get(id)}
}

func TestOnlyItsOwnChildren(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	me, other := f.spawn(t, "hang"), f.spawn(t, "hang")
	h := f.hostOf(t, me)
	f.hostOf(t, other)
	for _, id := range []process.ID{other, me, 99, 0, -1} {
		if _, err := h.Await(t.Context(), id); !errors.Is(err, process.ErrNotFound) {
			t.Errorf("await %d: %v", id, err)
		}
		if err := h.Signal(t.Context(), id, process.SIGKILL); !errors.Is(err, process.ErrNotFound) {
			t.Errorf("signal %d: %v", id, err)
		}
	}
	if rec := f.record(t, other); rec.State != process.Running {
		t.Errorf("the other one is %s", rec.State)
	}
}

func TestSignalsToAChild(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	me := f.spawn(t, "hang")
	h := f.hostOf(t, me)
	spawn := func(code string) process.ID {
		t.Helper()
		id, err := h.Spawn(t.Context(), process.Spec{Environment: "fake", Code: code})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	for sig, want := range map[process.Signal]string{process.SIGTERM: "SIGTERM", process.SIGINT: "SIGINT"} {
		id := spawn("hang")
		if err := h.Signal(t.Context(), id, sig); err != nil {
			t.Error(err)
		}
		if end, err := h.Await(t.Context(), id); err != nil || end.Process.Exit.Signal != want {
			t.Errorf("%+v, %v", end.Process, err)
		}
	}
	id := spawn("spawn stubborn\nhang")
	grandchild := id + 1
	if !eventually(func() bool {
		rec, err := f.Process(t.Context(), grandchild)
		return err == nil && rec.State == process.Running
	}) {
		t.Fatal("there is no grandchild")
	}
	if err := h.Signal(t.Context(), id, process.SIGKILL); err != nil {
		t.Error(err)
	}
	for _, id := range []process.ID{id, grandchild} {
		if rec := f.wait(t, id); rec.ExitState != process.ExitCanceled {
			t.Errorf("process %d: %s", id, rec.ExitState)
		}
	}
	if err := h.Signal(t.Context(), id, process.SIGTERM); !errors.Is(err, process.ErrNotRunning) {
		t.Errorf("signal to a finished child: %v", err)
	}
}

// What a program has started dies with it, and nothing is started by the dead.
func TestChildrenDieWithTheProgram(t *testing.T) {
	f := newFixture(t, 1)
	defer f.shut(t)
	id := f.spawn(t, "spawn spawn stubborn; hang\nspawn hang\nawait")
	if !eventually(func() bool { return len(f.fake.Executed()) == 4 }) {
		t.Fatalf("%v are executed", f.fake.Executed())
	}
	h := f.hostOf(t, id)
	if err := f.Kill(t.Context(), id, KillOptions{Now: true}); err != nil {
		t.Fatal(err)
	}
	for id := process.ID(1); id <= 4; id++ {
		if rec := f.wait(t, id); rec.ExitState != process.ExitCanceled {
			t.Errorf("process %d: %s", id, rec.ExitState)
		}
	}
	if _, err := h.Spawn(t.Context(), process.Spec{Environment: "fake"}); !errors.Is(err, process.ErrNotRunning) {
		t.Errorf("spawned: %v", err)
	}
	if _, err := h.Await(t.Context(), 2); err == nil {
		t.Error("the dead waits")
	}
	if !eventually(func() bool { return f.table.len() == 0 }) {
		t.Errorf("%d are left", f.table.len())
	}
}

func TestChildrenCountAsActive(t *testing.T) {
	f := newFixtureWith(t, 0, func(c *Config) { c.MaxActive = 2 })
	defer f.shut(t)
	id := f.spawn(t, "spawn hang\nspawn hang\nsignal KILL\nawait")
	f.wait(t, id)
	if got := f.stdout(t, id); got != "child 2\nerror: 2 processes are active: that is the limit\nended 2 canceled\n" {
		t.Errorf("printed %q", got)
	}
}

// A program that starts itself again and again is held by the bound of its
// tree, and harms no other.
func TestTreesAreBounded(t *testing.T) {
	f := newFixtureWith(t, 0, func(c *Config) { c.MaxTree = 10 })
	defer f.shut(t)
	id := f.spawn(t, strings.Repeat("spawn spawn hang; hang\n", 40)+"hang")
	if !eventually(func() bool { return f.table.len() == 10 }) {
		t.Fatalf("%d live", f.table.len())
	}
	h := f.hostOf(t, id)
	if _, err := h.Spawn(t.Context(), process.Spec{Environment: "fake"}); !errors.Is(err, process.ErrTooMany) {
		t.Errorf("the eleventh: %v", err)
	}
	other := f.spawn(t, "spawn out hi\nawait")
	if f.wait(t, other); !strings.Contains(f.stdout(t, other), "success") {
		t.Errorf("another tree: %q", f.stdout(t, other))
	}
	if err := f.Kill(t.Context(), id, KillOptions{Now: true}); err != nil {
		t.Fatal(err)
	}
	if !eventually(func() bool { return f.table.len() == 0 }) {
		t.Errorf("%d are left", f.table.len())
	}
	// A refused child gives its place back.
	parent := f.spawn(t, "hang")
	h = f.hostOf(t, parent)
	for range 30 {
		if _, err := h.Spawn(t.Context(), process.Spec{Environment: "nowhere"}); !errors.Is(err, process.ErrNoEnvironment) {
			t.Fatal(err)
		}
		id, err := h.Spawn(t.Context(), process.Spec{Environment: "fake"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.Await(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if n := f.table.get(parent).tree.Load(); n != 1 {
		t.Errorf("%d are counted", n)
	}
}

// A program gives its child no tools it does not have itself.
func TestChildrenHaveNoMoreTools(t *testing.T) {
	for _, tt := range []struct {
		own, asked, want []string
		refused          bool
	}{
		{nil, nil, nil, false},
		{nil, []string{"a/b", "*"}, []string{"a/b", "*"}, false},
		{nil, []string{}, []string{}, false},
		{[]string{}, nil, []string{}, false},
		{[]string{}, []string{"a/b"}, nil, true},
		{[]string{"a/*"}, nil, []string{"a/*"}, false},
		{[]string{"a/*"}, []string{"a/b", "a/c*"}, []string{"a/b", "a/c*"}, false},
		{[]string{"a/*"}, []string{"a/b", "b/b"}, nil, true},
		{[]string{"a/*"}, []string{"*"}, nil, true},
		{[]string{"a/*"}, []string{"?/b"}, nil, true},
		{[]string{"a/b?"}, []string{"a/b?"}, []string{"a/b?"}, false},
		{[]string{"a/b?"}, []string{"a/bc"}, nil, true}, // not sure is no
		{[]string{"*"}, []string{"a/b"}, []string{"a/b"}, false},
		{nil, []string{"reeve/spawn.command"}, nil, true},
		{[]string{"*"}, []string{"reeve/spawn.command"}, nil, true},
		{[]string{"reeve/*"}, []string{"reeve/spawn.*"}, nil, true},
		{[]string{"reeve/spawn.command"}, []string{"reeve/spawn.command"}, []string{"reeve/spawn.command"}, false},
	} {
		got, err := narrowed(tt.own, tt.asked)
		if (err != nil) != tt.refused || err != nil && !errors.Is(err, process.ErrInvalid) {
			t.Errorf("%v asked for %v: %v", tt.own, tt.asked, err)
		}
		if err == nil && (!slices.Equal(got, tt.want) || (got == nil) != (tt.want == nil)) {
			t.Errorf("%v asked for %v: %#v", tt.own, tt.asked, got)
		}
	}
	f := newFixture(t, 0)
	defer f.shut(t)
	id, err := f.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "fake", Code: "spawn out hi\nawait",
		Options: process.Options{Tools: []string{"a/*"}}}})
	if err != nil {
		t.Fatal(err)
	}
	f.wait(t, id)
	if got := f.record(t, 2).Options.Tools; !slices.Equal(got, []string{"a/*"}) {
		t.Errorf("the child has %v", got)
	}
}

// Who waits for a child can be told to stop.
func TestAwaitIsGivenUp(t *testing.T) {
	f := newFixture(t, 1)
	defer f.shut(t)
	h := f.hostOf(t, f.spawn(t, "hang"))
	child, err := h.Spawn(t.Context(), process.Spec{Environment: "fake", Code: "hang"})
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Millisecond, enough)
	defer cancel()
	if _, err := h.Await(ctx, child); !errors.Is(err, enough) {
		t.Errorf("await: %v", err)
	}
	if n := f.used("fake"); n != 1 {
		t.Errorf("%d slots are taken", n)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	for _, o := range []process.Options{
		{Limits: process.Limits{MemoryBytes: -1}}, {Limits: process.Limits{CPUMS: -1}},
		{Tools: []string{strings.Repeat("x", maxName+1)}}, {Tools: make([]string, maxTags+1)},
	} {
		_, err := f.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "fake", Options: o}})
		if !errors.Is(err, process.ErrInvalid) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
