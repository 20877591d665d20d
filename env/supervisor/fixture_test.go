package supervisor_test

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/env/envfake"
	"github.com/reeverun/reeve/env/supervisor"
	"github.com/reeverun/reeve/interpret"
	"github.com/reeverun/reeve/kernel"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
	"github.com/reeverun/reeve/store/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is supervisors in a real kernel, with children that follow scripts.
type fixture struct {
	*kernel.Kernel
	t    *testing.T
	fake *envfake.Env
	logs *rawlog.Logs
}

// specs are those of a runtime whose environments are "fake" and "supervisor".
func specs() api.Specs {
	return api.Specs{Environment: "fake", Functions: true}
}

func newFixture(t *testing.T) *fixture { return newFixtureWith(t, func() float64 { return 0.5 }) }

func newFixtureWith(t *testing.T, random func() float64) *fixture {
	t.Helper()
	logs, err := rawlog.New(rawlog.Config{})
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, fake: &envfake.Env{}, logs: logs}
	f.Kernel, err = kernel.Open(context.Background(), kernel.Config{
		Store: memory.New(), Logs: logs, Interpreters: interpret.NewRegistry(), RawOutput: process.MemoryOnly,
		Environments: map[string]kernel.Environment{
			"fake":                {Environment: f.fake, Slots: 1}, // supervised processes take none
			process.EnvSupervisor: {Environment: supervisor.New(supervisor.Config{Specs: specs(), Random: random})},
		},
		Grace: time.Second, Retention: kernel.Retention{Every: -1},
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *fixture) shut() {
	f.fake.Release()
	if err := f.Close(); err != nil {
		f.t.Errorf("close: %v", err)
	}
	_ = f.logs.Close()
}

// up starts a supervisor.
func (f *fixture) up(s api.Supervisor) process.ID {
	f.t.Helper()
	id, err := f.Spawn(context.Background(), kernel.Request{Spec: specOf(f.t, s)})
	if err != nil {
		f.t.Fatal(err)
	}
	return id
}

func specOf(t *testing.T, s api.Supervisor) process.Spec {
	t.Helper()
	code, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return process.Spec{Environment: process.EnvSupervisor, Code: string(code)}
}

// script is a child that follows a script.
func script(name, restart, code string) api.Child {
	return api.Child{Name: name, Restart: restart, Create: api.Create{Code: &code}}
}

func number(n int) *int { return &n }

// at once is a backoff that does not wait.
var atOnce = &api.Backoff{Initial: api.SpanMS(0)}

func (f *fixture) wait(id process.ID) *process.Process {
	f.t.Helper()
	rec, err := f.Wait(context.Background(), id)
	if err != nil {
		f.t.Fatal(err)
	}
	return rec
}

func (f *fixture) record(id process.ID) *process.Process {
	f.t.Helper()
	rec, err := f.Process(context.Background(), id)
	if err != nil {
		f.t.Fatal(err)
	}
	return rec
}

func (f *fixture) kill(id process.ID, o kernel.KillOptions) *process.Process {
	f.t.Helper()
	if err := f.Kill(context.Background(), id, o); err != nil {
		f.t.Fatal(err)
	}
	return f.wait(id)
}

// children returns the processes of a supervisor's children, by name.
func (f *fixture) children(id process.ID) map[string]*process.Process {
	f.t.Helper()
	all := map[string]*process.Process{}
	page, err := f.Processes(context.Background(), process.Query{Parent: id, Limit: process.MaxLimit})
	if err != nil {
		f.t.Fatal(err)
	}
	for i := range page.Processes {
		all[page.Processes[i].Label] = f.record(page.Processes[i].ID)
	}
	return all
}

// runs returns how often each child was run.
func (f *fixture) runs(id process.ID) map[string]int {
	all := map[string]int{}
	for name, c := range f.children(id) {
		all[name] = c.Number
	}
	return all
}

// started returns what a supervisor's log says of starts, in order.
func (f *fixture) started(id process.ID) (all []process.ChildSpawned) {
	for _, ev := range f.events(id) {
		if d, ok := ev.Data.(process.ChildSpawned); ok {
			all = append(all, d)
		}
	}
	return all
}

func (f *fixture) events(id process.ID) []process.Event {
	f.t.Helper()
	events, err := f.Events(context.Background(), id, 0, 10_000)
	if err != nil {
		f.t.Fatal(err)
	}
	return events
}

// order returns the labels of processes in the order of their newest event of a
// kind.
func (f *fixture) order(kind process.Kind, parent process.ID) (names []string) {
	type moment struct {
		cursor int64
		name   string
	}
	var all []moment
	for name, c := range f.children(parent) {
		var last int64
		for _, ev := range f.events(c.ID) {
			if ev.Kind == kind {
				last = ev.Cursor
			}
		}
		all = append(all, moment{last, name})
	}
	slices.SortFunc(all, func(a, b moment) int { return cmp.Compare(a.cursor, b.cursor) })
	for _, m := range all {
		names = append(names, m.name)
	}
	return names
}

// seconds is how long a process took, about: a commit may take a moment.
func seconds(rec *process.Process) int64 { return (rec.Usage.WallMS + 500) / 1000 }

func (f *fixture) wantExit(rec *process.Process, state process.ExitState, code int, reason string) {
	f.t.Helper()
	if rec.ExitState != state || rec.Exit == nil || rec.Exit.Code != code || rec.Exit.Reason != reason {
		f.t.Errorf("ended as %s, %+v, %q; want %s, %d, %q", rec.ExitState, rec.Exit, rec.Error, state, code, reason)
	}
}
