package interpret

import (
	"fmt"

	"github.com/reeverun/reeve/process"
)

// slice is the share of overall progress a phase stands for.
type slice struct{ from, to float64 }

func (s slice) scale(share float64) process.Progress {
	return process.Fraction(s.from + share*(s.to-s.from))
}

func compilePhase(r *rule, s ruleSpec) error {
	var name, label template
	if s.Name == "" {
		return fmt.Errorf("name: missing")
	}
	if err := r.texts(textSpec{"name", s.Name, &name}, textSpec{"label", s.Label, &label}); err != nil {
		return err
	}
	if err := r.compileSlice(s, name); err != nil {
		return err
	}
	r.do = func(e *engine, c *Context, m match) {
		if s.Nested {
			c.EnterPhase(m.expand(name), m.expand(label))
		} else {
			e.enterFlat(c, m.expand(name), m.expand(label))
		}
	}
	return nil
}

func (r *rule) compileSlice(s ruleSpec, name template) error {
	switch {
	case s.From == nil && s.To == nil:
		return nil
	case s.From == nil || s.To == nil:
		return fmt.Errorf("from, to: one needs the other")
	case !(0 <= *s.From && *s.From <= *s.To && *s.To <= 1):
		return fmt.Errorf("from, to: want 0 <= from <= to <= 1, got %v and %v", *s.From, *s.To)
	case !name.static():
		return fmt.Errorf("from, to: the name of a phase with a share of progress cannot refer to groups")
	}
	r.slice = &slice{*s.From, *s.To}
	return nil
}

// enterFlat opens a phase beside the open one, which ends. The same phase
// again is only relabelled.
func (e *engine) enterFlat(c *Context, name, label string) {
	if top, ok := c.top(); ok {
		if top.Name == name {
			c.UpdatePhase(label)
			return
		}
		e.leave(c, top.Name)
	}
	c.EnterPhase(name, label)
	if s, ok := e.slices[name]; ok {
		c.Progress(s.scale(0))
	}
}

// leave closes the innermost phase as one that is completed.
func (e *engine) leave(c *Context, name string) {
	if s, ok := e.slices[name]; ok {
		c.Progress(s.scale(1))
	}
	c.ExitPhase(name)
}

func compilePhaseExit(r *rule, s ruleSpec) error {
	var name template
	if s.Name == "" {
		return fmt.Errorf("name: missing")
	}
	r.do = func(e *engine, c *Context, m match) { e.exitNamed(c, m.expand(name)) }
	return r.texts(textSpec{"name", s.Name, &name})
}

// exitNamed closes a phase. Tools that work in parallel leave phases in any
// order: one that is not innermost is closed when it becomes so.
func (e *engine) exitNamed(c *Context, name string) {
	open := 0
	for _, p := range c.s.phases {
		if p.Name == name {
			open++
		}
	}
	if open <= e.left[name] {
		return
	}
	e.left[name]++
	for top, ok := c.top(); ok && e.left[top.Name] > 0; top, ok = c.top() {
		e.left[top.Name]--
		e.leave(c, top.Name)
	}
}

// top returns the innermost open phase.
func (c *Context) top() (process.Phase, bool) {
	n := len(c.s.phases)
	if n == 0 {
		return process.Phase{}, false
	}
	return c.s.phases[n-1], true
}
