package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"strings"
	"unicode"

	"github.com/reeverun/reeve/process"
)

// Member is a child of a supervisor, checked: what to start and when to start it
// again.
type Member struct {
	Name    string
	Restart string
	Spec    process.Spec
}

// Members returns the children of a supervisor in their order. An error names the
// field by its path from the supervisor.
func (s Specs) Members(t *Supervisor) ([]Member, error) {
	if t.deeperThan(maxLevels) {
		return nil, process.Invalid("children", "has supervisors below supervisors on more than %d levels", maxLevels)
	}
	names := map[string]int{}
	members := make([]Member, len(t.Children))
	for i := range t.Children {
		c := &t.Children[i]
		path := fmt.Sprintf("children[%d]", i)
		if before, taken := names[c.Name]; taken {
			return nil, process.Invalid(path+".name", "%q is the name of children[%d], too", c.Name, before)
		}
		names[c.Name] = i
		spec, err := s.member(c)
		if err != nil {
			return nil, below(path, err)
		}
		members[i] = Member{Name: c.Name, Restart: cmp.Or(c.Restart, Permanent), Spec: spec}
	}
	if len(members) == 0 {
		return nil, process.Invalid("children", "is empty: a supervisor needs at least one")
	}
	return members, nil
}

// maxLevels bounds how deep supervisors are described: processes are started no
// deeper, and each level is looked at by all above it.
const maxLevels = 32

func (t *Supervisor) deeperThan(levels int) bool {
	if levels == 0 {
		return true
	}
	for i := range t.Children {
		if n := t.Children[i].Supervisor; n != nil && n.deeperThan(levels-1) {
			return true
		}
	}
	return false
}

// below puts the field of an error below a path.
func below(path string, err error) error {
	var e *process.Error
	if !errors.As(err, &e) {
		return err
	}
	placed := *e
	placed.Field = join(path, e.Field)
	if e.Field == "" {
		placed.Field = path
	}
	return &placed
}

func (s Specs) member(c *Child) (spec process.Spec, err error) {
	if strings.TrimSpace(c.Name) == "" || strings.ContainsFunc(c.Name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return spec, process.Invalid("name", "%q is not a name: want letters that can be printed", c.Name)
	}
	switch {
	case c.Supervisor != nil:
		spec, err = s.nested(c)
	case c.Parent != 0:
		err = process.Invalid("parent", "cannot be chosen here: a child is below its supervisor")
	case c.Block:
		err = process.Invalid("block", "is not possible here: nobody waits for a child")
	case c.Autorun != nil && !*c.Autorun:
		err = process.Invalid("autorun", "cannot be false here: a supervisor runs its children")
	default:
		spec, err = s.single(c)
	}
	if c.Shutdown.Set {
		spec.Options.Grace = c.Shutdown.Duration()
	}
	spec.Label = cmp.Or(spec.Label, c.Name)
	return spec, err
}

// nested makes the Spec of a supervisor below another.
func (s Specs) nested(c *Child) (process.Spec, error) {
	rest := *c
	rest.Name, rest.Restart, rest.Shutdown, rest.Supervisor = "", "", Span{}, nil
	if b, err := json.Marshal(rest); err != nil || string(b) != `{"name":""}` {
		return process.Spec{}, process.Invalid("supervisor", "stands alone: beside it are name, restart and shutdown only")
	}
	if _, err := s.Members(c.Supervisor); err != nil {
		return process.Spec{}, below("supervisor", err)
	}
	create, err := c.Supervisor.Create()
	if err != nil {
		return process.Spec{}, err
	}
	return s.Make(&create)
}

// Create returns the body of POST /processes that means the same.
func (t *Supervisor) Create() (Create, error) {
	b, err := json.Marshal(t)
	code := string(b)
	return Create{Environment: process.EnvSupervisor, Code: &code, Label: t.Name, Ref: t.Ref, Tags: t.Tags}, err
}

// single makes the Spec of one process.
func (s Specs) single(c *Child) (process.Spec, error) {
	create := c.Create
	if create.Environment == process.EnvSupervisor { // its code would be shown, with what is secret in it
		return process.Spec{}, process.Invalid("environment", "cannot be supervisor here: describe it as supervisor, instead of code")
	}
	surroundings := c.Dir != "" || len(c.Env) > 0
	if create.Environment == "" && (create.Command != nil || surroundings) {
		create.Environment = process.EnvCommand
	}
	if !surroundings {
		return s.Make(&create)
	}
	if create.Environment != process.EnvCommand {
		field := "cwd"
		if c.Dir == "" {
			field = "env"
		}
		return process.Spec{}, process.Invalid(field, "is for the environment command, not for %s", create.Environment)
	}
	command, err := c.command()
	if err != nil {
		return process.Spec{}, err
	}
	create.Code, create.Command = nil, command
	return s.Make(&create)
}

// command is the child's with its directory and its variables. A script becomes
// one for the system's shell, as the environment command would have it.
func (c *Child) command() (*Command, error) {
	var command Command
	switch {
	case c.Create.Command != nil && c.Code != nil:
		return nil, process.Invalid("command", "and code exclude each other: give one of them")
	case c.Create.Command != nil:
		command = *c.Create.Command
	case c.Code == nil:
		return nil, process.Invalid("command", "is missing: give a command, or code for the system's shell")
	case runtime.GOOS == "windows":
		command = Command{Program: "cmd", Args: []string{"/C", *c.Code}}
	default:
		command = Command{Program: "sh", Args: []string{"-c", *c.Code}}
	}
	if c.Dir != "" && command.Dir != "" {
		return nil, process.Invalid("cwd", "is in command, too: give one of them")
	}
	command.Dir = cmp.Or(command.Dir, c.Dir)
	vars := maps.Clone(command.Env)
	for name, value := range c.Env {
		if _, twice := vars[name]; twice {
			return nil, process.Invalid("env."+name, "is in command, too: give one of them")
		}
		if vars == nil {
			vars = map[string]string{}
		}
		vars[name] = value
	}
	command.Env = vars
	return &command, nil
}
