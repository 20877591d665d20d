package interpret

import (
	"fmt"
	"strings"

	"github.com/reeverun/reeve/process"
)

// Rules is an interpreter written as data: a list of rules, of which the
// first that matches a line decides what it means. docs/interpreters.md is
// the reference. A Rules is immutable and safe for concurrent use.
type Rules struct {
	name        string
	description string
	rules       []*rule // all but prompts
	prompts     []*rule
	phases      bool             // there are any
	nested      bool             // they are
	slices      map[string]slice // of overall progress, by phase
	summary     []tallySpec
	fallback    *fallback
	unwrap      func(string) (string, bool) // nil: lines are what they are
	plans       [2]plan                     // by stream
}

// LoadRules reads a rule file strictly. Its errors name the rule, the key and
// the line.
func LoadRules(name string, data []byte) (*Rules, error) {
	r, err := loadRules(name, data)
	if err != nil {
		return nil, fmt.Errorf("rules %q: %w", name, err)
	}
	return r, nil
}

func loadRules(name string, data []byte) (*Rules, error) {
	f, lines, err := decodeFile(data)
	if err != nil {
		return nil, err
	}
	r := &Rules{name: name, description: f.Description, slices: map[string]slice{}, summary: f.Summary}
	if r.unwrap, err = unwrapperOf(f.Format); err != nil {
		return nil, err
	}
	tallies := map[string]bool{}
	for i, spec := range f.Rules {
		if err := r.add(spec); err != nil {
			return nil, fmt.Errorf("%s: %w", ruleName(spec, i, lines), err)
		}
		tallies[spec.Tally] = true
	}
	for _, t := range f.Summary {
		if t.Tally == "" || !tallies[t.Tally] {
			return nil, fmt.Errorf("summary: no rule has the tally %q", t.Tally)
		}
	}
	if r.fallback, err = compileFallback(f.Fallback); err != nil {
		return nil, fmt.Errorf("fallback: %w", err)
	}
	for i, stream := range []process.Stream{process.Stdout, process.Stderr} {
		r.plans[i] = planFor(r.rules, stream, r.unwrap != nil)
	}
	return r, nil
}

func ruleName(spec ruleSpec, i int, lines []int) string {
	var b strings.Builder
	if i < len(lines) {
		fmt.Fprintf(&b, "line %d: ", lines[i])
	}
	fmt.Fprintf(&b, "rule %d", i+1)
	if n := strings.TrimSpace(spec.Kind + " " + spec.ID); n != "" {
		fmt.Fprintf(&b, " (%s)", n)
	}
	return b.String()
}

func (r *Rules) add(spec ruleSpec) error {
	rule, err := compile(spec)
	if err != nil {
		return err
	}
	if spec.Kind == "prompt" {
		r.prompts = append(r.prompts, rule)
		return nil
	}
	if rule.slice != nil {
		r.slices[spec.Name] = *rule.slice
	}
	if spec.Kind == "phase" {
		if r.phases && r.nested != spec.Nested {
			return fmt.Errorf("nested: the phases of a file are either all nested or none")
		}
		r.phases, r.nested = true, spec.Nested
	}
	rule.index = len(r.rules)
	r.rules = append(r.rules, rule)
	return nil
}

// Name returns the name the rules were loaded under.
func (r *Rules) Name() string { return r.name }

// Description returns what the file says it is for.
func (r *Rules) Description() string { return r.description }

// New makes an interpreter of these rules for one run.
func (r *Rules) New() Interpreter {
	e := &engine{Rules: r, fired: make([]bool, len(r.rules)), tallies: map[string]int{}, left: map[string]int{}}
	for i, p := range r.plans {
		e.scans[i] = p.scan()
	}
	return e
}
