package interpret

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/reeverun/reeve/process"
)

// Registry names the interpreters a runtime offers. It is safe for
// concurrent use.
type Registry struct {
	mu    sync.RWMutex
	makes map[string]func() (Interpreter, error)
}

// NewRegistry returns a registry of the built-in interpreters.
func NewRegistry() *Registry { return &Registry{makes: builtins()} }

var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// Register names an interpreter. newInterpreter is called once for each run.
// A name that is taken is given anew, so that a built-in can be replaced;
// "none" cannot.
func (r *Registry) Register(name string, newInterpreter func() Interpreter) error {
	if name == process.InterpreterNone || !validName.MatchString(name) {
		return process.Invalid("interpreter", "%q cannot name an interpreter", name)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.makes[name] = func() (Interpreter, error) { return newInterpreter(), nil }
	return nil
}

// LoadDir registers every *.yaml and *.yml file of a folder under its base
// name. A file that cannot be used is reported, the others are registered.
func (r *Registry) LoadDir(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("read rules: %w", err)
	}
	var all []error
	for _, e := range entries {
		ext := filepath.Ext(e.Name())
		if e.IsDir() || (ext != ".yaml" && ext != ".yml") {
			continue
		}
		if err := r.loadFile(dir, e.Name(), strings.TrimSuffix(e.Name(), ext)); err != nil {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

func (r *Registry) loadFile(dir, file, name string) error {
	data, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return fmt.Errorf("read rules: %w", err)
	}
	rules, err := LoadRules(name, data)
	if err != nil {
		return err
	}
	return r.Register(name, rules.New)
}

// New makes an interpreter for one run. An empty name is "generic"; "none" is
// a nil interpreter.
func (r *Registry) New(name string) (Interpreter, error) {
	switch name {
	case process.InterpreterNone:
		return nil, nil
	case "":
		name = process.InterpreterGeneric
	}
	r.mu.RLock()
	makeOne, ok := r.makes[name]
	r.mu.RUnlock()
	if !ok {
		return nil, process.Invalid("interpreter", "%q is not an interpreter: want one of %s", name, strings.Join(r.Names(), ", "))
	}
	return makeOne()
}

// Names lists every name New knows, sorted.
func (r *Registry) Names() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	names := append(slices.Collect(maps.Keys(r.makes)), process.InterpreterNone)
	slices.Sort(names)
	return names
}
