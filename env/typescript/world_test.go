package typescript_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/env/typescript"
	"github.com/reeverun/reeve/env/typescript/compile"
	"github.com/reeverun/reeve/env/typescript/engine"
	"github.com/reeverun/reeve/env/typescript/prelude"
	"github.com/reeverun/reeve/env/typescript/quickjs"
	"github.com/reeverun/reeve/env/typescript/v8"
	"github.com/reeverun/reeve/process"
)

// patience bounds what a test waits for.
const patience = time.Minute

// maker makes an engine.
type maker typescript.Engine

// each runs a test with every engine there is here.
func each(t *testing.T, test func(t *testing.T, m maker)) {
	t.Run("v8", func(t *testing.T) {
		if !v8.Available {
			t.Skip("this build has no V8")
		}
		test(t, maker{func() engine.Engine { return v8.New(v8.Config{Prelude: prelude.Source()}) }, compile.Chrome136})
	})
	t.Run("quickjs", func(t *testing.T) {
		test(t, maker{func() engine.Engine {
			return quickjs.New(quickjs.Config{Prelude: prelude.Source(), Executable: quickjsChild})
		}, compile.ES2023})
	})
}

// env makes an environment that is not set up.
func (m maker) env(change ...func(*typescript.Config)) *typescript.Env {
	c := typescript.Config{Engines: []typescript.Engine{typescript.Engine(m)}}
	for _, f := range change {
		f(&c)
	}
	return typescript.New(c)
}

// world is a runtime with the environment and the tools of a test.
type world struct {
	*reeve.Runtime
	t   *testing.T
	env *typescript.Env
}

func (m maker) world(t *testing.T, change ...func(*reeve.Config)) *world {
	t.Helper()
	e := m.env(func(c *typescript.Config) { c.Spec = plainSpec })
	c := reeve.Config{Environments: map[string]reeve.Environment{process.EnvTypeScript: e}, Grace: 20 * time.Second}
	for _, f := range change {
		f(&c)
	}
	rt, err := reeve.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	})
	return &world{Runtime: rt, t: t, env: e}
}

// plainSpec reads what a program passes to reeve.spawn, as far as these tests
// need it.
func plainSpec(request json.RawMessage) (process.Spec, error) {
	var s struct{ Environment, Code, Label string }
	if err := json.Unmarshal(request, &s); err != nil {
		return process.Spec{}, err
	}
	return process.Spec{Environment: s.Environment, Code: s.Code, Label: s.Label}, nil
}

func (w *world) spawn(task *reeve.Task) *reeve.Handle {
	w.t.Helper()
	h, err := w.Spawn(w.t.Context(), task)
	if err != nil {
		w.t.Fatal(err)
	}
	return h
}

// ended is a finished program.
type ended struct {
	*process.Process
	stdout, stderr string
}

func (w *world) wait(h *reeve.Handle) ended {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	if _, err := h.Wait(ctx); err != nil {
		w.t.Fatal(err)
	}
	p, err := h.Process(ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	return ended{p, w.text(p, process.Stdout), w.text(p, process.Stderr)}
}

func (w *world) text(p *process.Process, s process.Stream) string {
	w.t.Helper()
	out, err := w.OpenOutput(w.t.Context(), p.ID, p.Number)
	if err != nil {
		return "" // it was not to be kept
	}
	defer out.Close()
	var b strings.Builder
	if _, err := out.Copy(&b, reeve.RawStream(s), 0, out.Size(reeve.RawStream(s))); err != nil {
		w.t.Error(err)
	}
	return b.String()
}

func (w *world) run(code string) ended {
	w.t.Helper()
	return w.wait(w.spawn(reeve.TypeScript(code)))
}

// said waits until a program has written a line.
func (w *world) said(h *reeve.Handle, line string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	for ev := range h.Events(ctx) {
		if out, ok := ev.Data.(process.OutputAppended); ok && strings.Contains(out.Line, line) {
			return
		}
	}
	w.t.Fatalf("it never said %q", line)
}

func (e ended) want(t *testing.T, state process.ExitState, errText string) {
	t.Helper()
	if e.ExitState != state || !strings.Contains(e.Error, errText) || (state == process.ExitFailed) != (e.Error != "") {
		t.Errorf("%s, %q; want %s, %q\nstdout %.500s\nstderr %.500s", e.ExitState, e.Error, state, errText, e.stdout, e.stderr)
	}
}
