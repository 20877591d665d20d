package supervisor_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/envtest"
	"github.com/reeverun/reeve/env/supervisor"
	"github.com/reeverun/reeve/process"
)

// family is a host whose children do as their code says: ok, hang or stubborn.
type family struct {
	mu       sync.Mutex
	children []*kid
}

type kid struct {
	code string
	over chan struct{}
	end  sync.Once
}

func newFamily(t *testing.T) *envtest.Host {
	h, f := envtest.NewHost(t), &family{}
	h.OnSpawn = func(_ context.Context, s process.Spec) (process.ID, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		k := &kid{code: s.Code, over: make(chan struct{})}
		if k.code == "ok" {
			close(k.over)
		}
		if k.code == "refuse" {
			return 0, errors.New("no room")
		}
		f.children = append(f.children, k)
		return process.ID(len(f.children)), nil
	}
	h.OnAwait = func(_ context.Context, id process.ID) (env.Ended, error) {
		<-f.kid(id).over
		return env.Ended{Process: &process.Process{ID: id, Run: process.Run{ExitState: process.ExitSuccess}}}, nil
	}
	h.OnCancel = func(_ context.Context, id process.ID) error {
		if k := f.kid(id); k.code == "hang" {
			k.end.Do(func() { close(k.over) })
		}
		return nil
	}
	h.OnSignal = func(_ context.Context, id process.ID, s process.Signal) error {
		if k := f.kid(id); s == process.SIGKILL && k.code != "ok" {
			k.end.Do(func() { close(k.over) })
		}
		return nil
	}
	return h
}

func (f *family) kid(id process.ID) *kid {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.children[id-1]
}

func TestConformance(t *testing.T) {
	of := func(code string) *process.Spec {
		s := specOf(t, api.Supervisor{Children: []api.Child{script("a", api.Transient, "ok"), script("b", api.Transient, code)}})
		return &s
	}
	envtest.Run(t, func(*testing.T) env.Environment { return supervisor.New(supervisor.Config{Specs: specs()}) },
		envtest.Specs{Hello: of("ok"), Fail: of("refuse"), Hang: of("hang"), Stubborn: of("stubborn"),
			Unstarted: &process.Spec{Environment: process.EnvSupervisor, Code: "nonsense"}, Host: newFamily, Silent: true})
}

// A mistake is named by its path.
func TestCheck(t *testing.T) {
	e := supervisor.New(supervisor.Config{Specs: specs()})
	for code, want := range map[string]string{
		`{`:                                     "body: is not JSON",
		`[]`:                                    "body: is a list: want an object",
		`{}`:                                    "children: is missing",
		`{"children":[]}`:                       "children: has 0 items",
		`{"children":[{}]}`:                     "children[0].name: is missing",
		`{"children":[{"name":" ","code":""}]}`: `children[0].name: " " is not a name`,
		`{"strategy":"all","children":[{"name":"a","code":""}]}`:                                        `strategy: "all" is not possible: want one_for_one, one_for_all, rest_for_one`,
		`{"children":[{"name":"a","code":""},{"name":"a","code":""}]}`:                                  `children[1].name: "a" is the name of children[0], too`,
		`{"children":[{"name":"a","code":""},{"name":"b","code":"","restart":"sometimes"}]}`:            `children[1].restart: "sometimes" is not possible`,
		`{"children":[{"name":"a","kode":""}]}`:                                                         "children[0].kode: is not a field here: want one of",
		`{"children":[{"name":"a","Code":""}]}`:                                                         "children[0].Code: is not a field: did you mean code?",
		`{"children":[{"name":"a"}]}`:                                                                   "children[0].code: is missing",
		`{"children":[{"name":"a","code":"","parent":3}]}`:                                              "children[0].parent: cannot be chosen here",
		`{"children":[{"name":"a","code":"","block":true}]}`:                                            "children[0].block: is not possible here",
		`{"children":[{"name":"a","code":"","shutdown":"soon"}]}`:                                       `children[0].shutdown: "soon" is not a duration`,
		`{"children":[{"name":"a","code":"","shutdown":-1}]}`:                                           "children[0].shutdown: -1 is too small",
		`{"children":[{"name":"a","command":{"program":"x","env":{"K":7}}}]}`:                           "children[0].command.env.K: is a number: want a string",
		`{"children":[{"name":"a","environment":"fake","code":"","env":{"K":"v"}}]}`:                    "children[0].env: is for the environment command, not for fake",
		`{"children":[{"name":"a","command":{"program":"x","cwd":"/"},"cwd":"/"}]}`:                     "children[0].cwd: is in command, too",
		`{"children":[{"name":"a","supervisor":{"children":[{"name":"b"}]}}]}`:                          "children[0].supervisor.children[0].code: is missing",
		`{"children":[{"name":"a","code":"","supervisor":{"children":[{"name":"b","code":""}]}}]}`:      "children[0].supervisor: stands alone",
		`{"maxRestarts":-1,"children":[]}`:                                                              "children: has 0 items",
		`{"maxRestarts":1.5,"children":[{"name":"a","code":""}]}`:                                       "maxRestarts: 1.5 is not possible: want a whole number",
		`{"backoff":{"jitter":2},"children":[{"name":"a","code":""}]}`:                                  "backoff.jitter: 2 is too large: want at most 1",
		`{"window":0,"children":[{"name":"a","code":""}]}`:                                              "window: 0 is too small",
		`{"children":[{"name":"a","code":"","options":{"timeout":"1m","limits":{"memoryBytes":"x"}}}]}`: "children[0].options.limits.memoryBytes: is a string: want a number",
	} {
		err := e.Check(&process.Spec{Environment: process.EnvSupervisor, Code: code})
		if !errors.Is(err, process.ErrInvalid) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s:\n got %v\nwant %s", code, err, want)
		}
	}
}

// What is left out has defaults, and durations are read both ways.
func TestCodeThatIsTaken(t *testing.T) {
	e := supervisor.New(supervisor.Config{Specs: specs()})
	for _, code := range []string{
		`{"children":[{"name":"a","code":""}]}`,
		`{"name":"n","strategy":"rest_for_one","maxRestarts":0,"window":"1m30s","backoff":{"initial":"10ms","max":5000,"factor":1,"jitter":0},
		  "children":[{"name":"a","code":"echo","cwd":"/","env":{"K":"v"},"shutdown":"2s","options":{"timeout":"1m","grace":100}}]}`,
		`{"window":null,"children":[{"name":"a","command":{"program":"true"},"options":{"timeout":null}}]}`,
	} {
		if err := e.Check(&process.Spec{Environment: process.EnvSupervisor, Code: code}); err != nil {
			t.Errorf("%s: %v", code, err)
		}
	}
}

// Whatever bytes arrive as code: no panic, and what is taken can be run.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{`{}`, `{"children":[{"name":"a","code":""}]}`, `{"children":[{"name":"a","command":{"program":"x","env":{"K":"V"},"stdinBase64":"aGk="}}]}`,
		`{"children":[{"name":"a","supervisor":{"children":[{"name":"b","code":"x","env":{"K":"v"},"shutdown":"1s"}]}}]}`, `{"window":"1s","backoff":{"factor":1e300}}`, `[null]`} {
		f.Add([]byte(s))
	}
	e := supervisor.New(supervisor.Config{Specs: specs()})
	f.Fuzz(func(t *testing.T, b []byte) {
		s := process.Spec{Environment: process.EnvSupervisor, Code: string(b)}
		if err := e.Check(&s); err != nil {
			return
		}
		if !json.Valid([]byte(s.Code)) {
			t.Fatalf("%q was taken and stored as %q", b, s.Code)
		}
		if err := e.Check(&s); err != nil {
			t.Fatalf("%q was taken and stored as %q, which is not: %v", b, s.Code, err)
		}
	})
}
