package reeve

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/env/supervisor"
	"github.com/reeverun/reeve/kernel"
	"github.com/reeverun/reeve/process"
)

// Strategy says which children of a supervisor are run again when one of them is
// to be.
type Strategy string

// The strategies.
const (
	OneForOne  Strategy = api.OneForOne  // that one; the default
	OneForAll  Strategy = api.OneForAll  // all: the others are ended first
	RestForOne Strategy = api.RestForOne // that one and those after it
)

// Restart says when a child of a supervisor is run again.
type Restart string

// When a child is run again.
const (
	Permanent Restart = api.Permanent // whenever it ends
	Transient Restart = api.Transient // when it fails or times out
	Temporary Restart = api.Temporary // never
)

// Backoff is how long the restarts of a child wait: longer each time, until it has
// lived for longer than the window. Zero fields take the defaults.
type Backoff struct {
	Initial time.Duration // of the first one; default 200 ms; negative: restarts do not wait
	Max     time.Duration // of any; default 30 s
	Factor  float64       // from one to the next; default 2
	Jitter  float64       // by which share it varies at random; default 0.2; negative: not at all
}

// family is what a Task of a supervisor says.
type family struct {
	body     api.Supervisor
	children []relative
}

type relative struct {
	name    string
	restart Restart
	task    *Task
}

// Supervisor starts children, added by Child, and runs them again when they end,
// by its strategy. It ends when none of them is left, when they fail too often, or
// when it is canceled; they then end in the reverse of their order.
func Supervisor(name string) *Task {
	return &Task{spec: process.Spec{Environment: process.EnvSupervisor, Label: name}, family: &family{body: api.Supervisor{Name: name}}}
}

// Child adds a child to a supervisor: any Task, also another supervisor. Its Grace
// is the time it has to end. A Func runs as often as is needed, as long as this
// program lives.
func (t *Task) Child(name string, r Restart, child *Task) *Task {
	return t.supervisor(func(f *family) { f.children = append(f.children, relative{name, r, child}) })
}

// Strategy says which children are run again with one.
func (t *Task) Strategy(s Strategy) *Task {
	return t.supervisor(func(f *family) { f.body.Strategy = string(s) })
}

// MaxRestarts bounds a supervisor's restarts within a window; default 3 within 5 s.
// One more ends it.
func (t *Task) MaxRestarts(n int, window time.Duration) *Task {
	return t.supervisor(func(f *family) { f.body.MaxRestarts, f.body.Window = &n, api.SpanMS(window.Milliseconds()) })
}

// Backoff says how long a supervisor's restarts wait.
func (t *Task) Backoff(b Backoff) *Task {
	return t.supervisor(func(f *family) {
		f.body.Backoff = &api.Backoff{Initial: span(b.Initial), Max: span(b.Max)}
		if b.Factor != 0 {
			f.body.Backoff.Factor = &b.Factor
		}
		if jitter := max(0, b.Jitter); b.Jitter != 0 {
			f.body.Backoff.Jitter = &jitter
		}
	})
}

func span(d time.Duration) api.Span {
	if d == 0 {
		return api.Span{}
	}
	return api.SpanMS(max(0, d.Milliseconds()))
}

func (t *Task) supervisor(change func(*family)) *Task {
	if t.family == nil {
		return t.fail(process.Invalid("children", "are for supervisors: this option is for them"))
	}
	change(t.family)
	return t
}

// describe writes the supervisor as the code of its process, and returns what
// cannot be written for the environments of its children.
func (f *family) describe(rt *Runtime) (code string, payload supervisor.Payload, err error) {
	body, payload, err := f.tree(rt)
	if err != nil {
		return "", nil, err
	}
	b, err := json.Marshal(body)
	return string(b), payload, err
}

func (f *family) tree(rt *Runtime) (*api.Supervisor, supervisor.Payload, error) {
	body, payload := f.body, supervisor.Payload{}
	for _, r := range f.children {
		c, given, err := r.child(rt)
		if err != nil {
			return nil, nil, fmt.Errorf("child %q of the supervisor: %w", r.name, err)
		}
		if given != nil {
			payload[r.name] = given
		}
		body.Children = append(body.Children, c)
	}
	return &body, payload, nil
}

func (r relative) child(rt *Runtime) (c api.Child, payload any, err error) {
	req, err := rt.request(r.task)
	switch {
	case err != nil:
		return c, nil, err
	case req.Interpreter != nil:
		return c, nil, process.Invalid("interpreter", "serves one run, and a child may have several: register it by name in Config.Interpreters")
	case req.Parked:
		return c, nil, process.Invalid("parked", "is not possible here: a supervisor runs its children")
	}
	c = api.Child{Name: r.name, Restart: string(r.restart)}
	if r.task.family != nil {
		err := r.nested(rt, &c, &req)
		return c, req.Payload, err
	}
	c.Create, err = api.CreateOf(req.Spec)
	return c, req.Payload, err
}

// nested describes a supervisor below another.
func (r relative) nested(rt *Runtime, c *api.Child, req *kernel.Request) error {
	body, _, err := r.task.family.tree(rt)
	if err != nil {
		return err
	}
	s := req.Spec
	body.Name, body.Tags = s.Label, s.Tags
	if s.Ref != "" {
		body.Ref = &s.Ref
	}
	c.Supervisor, c.Shutdown = body, span(s.Options.Grace)
	return nil
}
