package typescript

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// Enforces says that what a program requires is heeded. It is in a sandbox
// always: which one it asks for makes no difference.
func (e *Env) Enforces() {}

// checkRequire refuses names of what no program is ever given.
func (e *Env) checkRequire(names []string) error {
	e.mu.Lock()
	w := e.works
	e.mu.Unlock()
	if len(names) == 0 || w == nil {
		return nil
	}
	known := w.features()
	for i, name := range names {
		if !slices.Contains(known, name) {
			return process.Invalid(fmt.Sprintf("options.require[%d]", i), "nothing can be required of a program by the name %q: want one of %s", name, strings.Join(known, ", "))
		}
	}
	return nil
}

// features are what the engine has, or would have on another machine.
func (w *works) features() []string {
	i := w.engine.Info()
	names := append([]string{process.TreeKill}, i.Confined...)
	for _, m := range i.Missing {
		name, _, _ := strings.Cut(m, ":")
		names = append(names, name)
	}
	return names
}

// refuse says that a run cannot have what it requires.
func (w *works) refuse(names []string) error {
	if len(names) == 0 {
		return nil
	}
	e := w.enforced()
	lacking := e.Lacking(names)
	if len(lacking) == 0 {
		return nil
	}
	return &env.SpawnError{Err: fmt.Errorf("it was not started: this machine cannot enforce %s. Take it out of options.require to run without it; reeve doctor tells what can be enforced here", strings.Join(lacking, "; "))}
}
