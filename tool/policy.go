package tool

import (
	"fmt"
	"strings"

	"github.com/reeverun/reeve/process"
)

// Rule gives a permission to the tools that a pattern matches.
//
// A pattern is SERVICE/TOOL, where * stands for any characters within its part
// and ? for one; a * alone matches every tool.
type Rule struct {
	Pattern    string
	Permission process.Permission
}

// Policy is an ordered list of rules, of which the first that matches decides. A
// tool that none matches is allowed, so the zero Policy allows all. The spawn
// tools of the service reeve have defaults of their own: see [Policy.Permission].
type Policy struct {
	rules []Rule
}

// NewPolicy checks the rules.
func NewPolicy(rules ...Rule) (Policy, error) {
	for i, r := range rules {
		if err := CheckPattern(r.Pattern); err != nil {
			return Policy{}, fmt.Errorf("rule %d: %w", i+1, err)
		}
		switch r.Permission {
		case process.Allow, process.Deny, process.Ask:
		default:
			return Policy{}, fmt.Errorf("rule %d: %q is not a permission: want allow, deny or ask", i+1, r.Permission)
		}
	}
	return Policy{rules: append([]Rule(nil), rules...)}, nil
}

// Rules returns a copy of the rules.
func (p Policy) Rules() []Rule { return append([]Rule(nil), p.rules...) }

// Verdict is a permission and why.
type Verdict struct {
	Permission process.Permission
	Why        string // a clause for a person, where it is Deny
}

// Permission says what a process may do with a tool. allowed are the patterns
// the process was created with; they only narrow, and nil does not.
//
// For the tools reeve/spawn.*, which stand for starting child processes, a rule
// that does not name them (its pattern does not begin with "reeve/spawn.") can
// forbid but not permit: an "allow: *" that was written for tools does not let
// untrusted programs run commands. Without a rule, spawn.typescript is allowed
// and every other one is denied unless allowed names it in the same way.
func (p Policy) Permission(service, tool string, allowed []string) Verdict {
	v := p.verdict(service, tool, allowed)
	if v.Permission != process.Deny && !MatchAny(allowed, service, tool) {
		return Verdict{process.Deny, "it is not among the tools this process was created with"}
	}
	return v
}

func (p Policy) verdict(service, tool string, allowed []string) Verdict {
	rule, n := p.first(service, tool)
	said := Verdict{process.Allow, ""}
	if n > 0 {
		said = Verdict{rule.Permission, fmt.Sprintf("rule %d: %s %s", n, rule.Permission, rule.Pattern)}
	}
	if !isSpawn(service, tool) || n > 0 && (said.Permission == process.Deny || namesSpawn(rule.Pattern)) {
		return said
	}
	byDefault := Verdict{process.Deny, "starting such processes is not allowed unless a rule names " + service + "/" + tool}
	if tool == spawnPrefix+process.EnvTypeScript || namedSpawn(allowed, tool) {
		byDefault = Verdict{process.Allow, ""}
	}
	return stricter(byDefault, said)
}

// first returns the first rule that matches and its number, 0 if none does.
func (p Policy) first(service, tool string) (Rule, int) {
	for i, r := range p.rules {
		if Match(r.Pattern, service, tool) {
			return r, i + 1
		}
	}
	return Rule{}, 0
}

func stricter(a, b Verdict) Verdict {
	rank := func(p process.Permission) int {
		switch p {
		case process.Deny:
			return 0
		case process.Ask:
			return 1
		}
		return 2
	}
	if rank(b.Permission) < rank(a.Permission) {
		return b
	}
	return a
}

// spawnPrefix begins the names of the tools that stand for child processes.
const spawnPrefix = "spawn."

func isSpawn(service, tool string) bool {
	return service == Builtin && strings.HasPrefix(tool, spawnPrefix)
}

// namesSpawn reports whether a pattern was written for the spawn tools.
func namesSpawn(pattern string) bool {
	return strings.HasPrefix(pattern, Builtin+"/"+spawnPrefix)
}

func namedSpawn(allowed []string, tool string) bool {
	for _, pattern := range allowed {
		if namesSpawn(pattern) && Match(pattern, Builtin, tool) {
			return true
		}
	}
	return false
}
