package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/daemon"
	"github.com/reeverun/reeve/doctor"
	"github.com/reeverun/reeve/env/typescript"
	"github.com/reeverun/reeve/env/typescript/compile"
	"github.com/reeverun/reeve/env/typescript/engine"
	"github.com/reeverun/reeve/env/typescript/prelude"
	"github.com/reeverun/reeve/env/typescript/quickjs"
	"github.com/reeverun/reeve/env/typescript/v8"
	"github.com/reeverun/reeve/process"
)

// workers runs this program in one of the modes in which it starts itself, and
// does not return then. It comes before everything else. (The V8 zygote is a
// mode, too: it begins before the Go runtime does; so are keepers and their
// subreapers, which begin before other packages are initialised.)
func workers() {
	compile.Worker()
	if quickjs.Child() {
		os.Exit(0)
	}
}

// environments are those of the daemon beside the built-in ones.
func environments(p daemon.Parts) (map[string]reeve.Environment, error) {
	programs := typescript.New(typescript.Config{
		Engines: engines(p.Logger), Logger: p.Logger,
		Limits: p.Settings.Limit, Ceiling: p.Settings.LimitMax,
		Spec: p.Spec, Declarations: func() string { return p.Tools.Declarations(nil) },
	})
	return map[string]reeve.Environment{process.EnvTypeScript: programs, process.EnvAgent: agents(p)}, nil
}

// engines are V8 where it is built in, then QuickJS.
func engines(log *slog.Logger) (all []typescript.Engine) {
	if v8.Available {
		all = append(all, typescript.Engine{Dialect: compile.Chrome136, New: func() engine.Engine {
			return v8.New(v8.Config{Prelude: prelude.Source(), Logger: log})
		}})
	}
	return append(all, typescript.Engine{Dialect: compile.ES2023, New: func() engine.Engine {
		return quickjs.New(quickjs.Config{Prelude: prelude.Source()})
	}})
}

// engineNames is what programs run on in this build, for versions.
func engineNames() []string {
	if v8.Available {
		return []string{"typescript: v8 " + v8.Version}
	}
	return []string{"typescript: quickjs (built without cgo)"}
}

// checkTypeScript starts an engine as the daemon does and runs a program.
var checkTypeScript = doctor.Extra{Key: "typescript", Name: "TypeScript", Try: tryTypeScript}

func tryTypeScript(ctx context.Context) doctor.Verdict {
	e := typescript.New(typescript.Config{Engines: engines(slog.New(slog.DiscardHandler))})
	rt, err := reeve.Open(ctx, reeve.Config{Environments: map[string]reeve.Environment{process.EnvTypeScript: e}})
	if err == nil {
		defer rt.Close()
		err = tryProgram(ctx, rt)
	}
	i := e.Info()
	if err != nil {
		return doctor.Verdict{Status: doctor.Missing, Meaning: "Programs cannot be run.", Reason: err.Error(), Advice: "Run the daemon with --log-level debug, and see what it says at its start."}
	}
	v := doctor.Verdict{Status: doctor.OK, Meaning: fmt.Sprintf("Programs run on %s %s, each in its own process, confined by %s.", i.Name, i.Version, strings.Join(i.Confined, ", "))}
	if len(i.Missing) > 0 {
		v.Status, v.Reason = doctor.Limited, "without "+strings.Join(i.Missing, "; ")
	}
	if i.Name != "v8" {
		v.Status = doctor.Limited
		v.Reason = strings.TrimPrefix(v.Reason+"; an interpreter, as this program has no V8", "; ")
		v.Advice = "On Linux, build it with a C++ compiler (g++) installed."
	}
	return v
}

func tryProgram(ctx context.Context, rt *reeve.Runtime) error {
	p, err := rt.Spawn(ctx, reeve.TypeScript("await 0"))
	if err != nil {
		return err
	}
	if _, err := p.Wait(ctx); err != nil {
		return err
	}
	rec, err := p.Process(ctx)
	if err == nil && rec.ExitState != process.ExitSuccess {
		err = fmt.Errorf("a program that does nothing ended as %s: %s", rec.ExitState, rec.Error)
	}
	return err
}
