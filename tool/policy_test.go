package tool

import (
	"regexp"
	"strings"
	"testing"

	"github.com/reeverun/reeve/process"
)

// policy makes a policy of lines like "deny github/delete_*".
func policy(t *testing.T, lines ...string) Policy {
	t.Helper()
	var rules []Rule
	for _, line := range lines {
		permission, pattern, _ := strings.Cut(line, " ")
		rules = append(rules, Rule{pattern, process.Permission(permission)})
	}
	p, err := NewPolicy(rules...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFirstRuleDecides(t *testing.T) {
	p := policy(t,
		"deny github/delete_repo",
		"ask github/delete_*",
		"allow git???/get",
		"deny secret/*",
		"ask *",
	)
	for tool, want := range map[string]Verdict{
		"github/delete_repo":  {process.Deny, "rule 1: deny github/delete_repo"},
		"github/delete_issue": {process.Ask, "rule 2: ask github/delete_*"},
		"github/get":          {process.Allow, "rule 3: allow git???/get"},
		"secret/anything":     {process.Deny, "rule 4: deny secret/*"},
		"other/thing":         {process.Ask, "rule 5: ask *"},
	} {
		service, name, _ := strings.Cut(tool, "/")
		if got := p.Permission(service, name, nil); got != want {
			t.Errorf("%s: %+v, want %+v", tool, got, want)
		}
	}
	if got := (Policy{}).Permission("any", "tool", nil); got.Permission != process.Allow {
		t.Errorf("without rules: %+v", got)
	}
}

// What a process was created with narrows, and never widens.
func TestAllowedNarrows(t *testing.T) {
	p := policy(t, "deny a/danger", "ask a/ask")
	for _, c := range []struct {
		tool    string
		allowed []string
		want    process.Permission
	}{
		{"get", nil, process.Allow},
		{"get", []string{}, process.Deny},
		{"get", []string{"b/*"}, process.Deny},
		{"get", []string{"b/*", "a/g*"}, process.Allow},
		{"get", []string{"*"}, process.Allow},
		{"ask", []string{"a/ask"}, process.Ask},
		{"danger", []string{"a/danger"}, process.Deny},
	} {
		if got := p.Permission("a", c.tool, c.allowed); got.Permission != c.want || c.want == process.Deny && got.Why == "" {
			t.Errorf("a/%s with %q: %+v, want %s", c.tool, c.allowed, got, c.want)
		}
	}
}

// Untrusted programs start programs, and commands only where somebody says
// exactly that.
func TestSpawnHasDefaultsOfItsOwn(t *testing.T) {
	all := "allow *"
	for name, c := range map[string]struct {
		rules   []string
		tool    string
		allowed []string
		want    process.Permission
	}{
		"programs":                    {tool: "spawn.typescript", want: process.Allow},
		"commands":                    {tool: "spawn.command", want: process.Deny},
		"agents":                      {tool: "spawn.agent", want: process.Deny},
		"a general rule":              {rules: []string{all}, tool: "spawn.command", want: process.Deny},
		"a rule for the service":      {rules: []string{"allow reeve/*"}, tool: "spawn.command", want: process.Deny},
		"a general question":          {rules: []string{"ask *"}, tool: "spawn.command", want: process.Deny},
		"a question about programs":   {rules: []string{"ask *"}, tool: "spawn.typescript", want: process.Ask},
		"programs forbidden":          {rules: []string{"deny *"}, tool: "spawn.typescript", want: process.Deny},
		"a rule that names it":        {rules: []string{"allow reeve/spawn.command"}, tool: "spawn.command", want: process.Allow},
		"a rule that asks":            {rules: []string{"ask reeve/spawn.*"}, tool: "spawn.command", want: process.Ask},
		"granted at its create":       {tool: "spawn.command", allowed: []string{"reeve/spawn.command"}, want: process.Allow},
		"granted everything":          {tool: "spawn.command", allowed: []string{"*"}, want: process.Deny},
		"granted the service":         {tool: "spawn.command", allowed: []string{"reeve/*"}, want: process.Deny},
		"granted, but a rule forbids": {rules: []string{"deny reeve/spawn.*"}, tool: "spawn.command", allowed: []string{"reeve/spawn.command"}, want: process.Deny},
		"granted, and a rule asks":    {rules: []string{"ask *"}, tool: "spawn.command", allowed: []string{"reeve/spawn.command"}, want: process.Ask},
		"narrowed to something else":  {tool: "spawn.typescript", allowed: []string{"a/*"}, want: process.Deny},
	} {
		if got := policy(t, c.rules...).Permission(Builtin, c.tool, c.allowed); got.Permission != c.want {
			t.Errorf("%s: %+v, want %s", name, got, c.want)
		}
	}
}

func TestWrongRules(t *testing.T) {
	for _, r := range []Rule{{"", process.Allow}, {"a", process.Allow}, {"a/b/c", process.Allow}, {"a/", process.Deny}, {"/b", process.Deny}, {"a b/c", process.Ask}, {"a/b", "maybe"}, {"a/b", ""}} {
		if _, err := NewPolicy(Rule{"*", process.Allow}, r); err == nil || !strings.Contains(err.Error(), "rule 2") {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

// The pattern matcher agrees with a regular expression.
func FuzzPattern(f *testing.F) {
	f.Add("a*b/c?", "axb", "cd")
	f.Add("*", "", "")
	f.Add("**a/?*?", "aa", "bcd")
	f.Fuzz(func(t *testing.T, pattern, service, tool string) {
		if CheckPattern(pattern) != nil || !ValidName(service) || !ValidName(tool) || pattern == "*" {
			return
		}
		expr := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern))
		parts := strings.SplitN(expr, "/", 2)
		want := regexp.MustCompile("^" + parts[0] + "/" + parts[1] + "$").MatchString(service + "/" + tool)
		if got := Match(pattern, service, tool); got != want {
			t.Errorf("%q matches %s/%s: %v, want %v", pattern, service, tool, got, want)
		}
	})
}

// What is offered is what a call would not be denied.
func TestOffered(t *testing.T) {
	r := started(t, Config{Policy: policy(t, "deny s/secret", "ask s/risky")}, &scripted{open: func(int) (Service, error) { return offering("plain", "risky", "secret"), nil }})
	for _, c := range []struct {
		allowed []string
		want    string
	}{
		{nil, "reeve/search allow, s/plain allow, s/risky ask"},
		{[]string{"*"}, "reeve/search allow, s/plain allow, s/risky ask"},
		{[]string{"s/p*", "s/secret"}, "s/plain allow"},
		{[]string{}, ""},
	} {
		var got []string
		for _, i := range r.Offered(c.allowed) {
			got = append(got, i.Service+"/"+i.Name+" "+string(i.Permission))
		}
		if joined := strings.Join(got, ", "); joined != c.want {
			t.Errorf("%q: offered %s, want %s", c.allowed, joined, c.want)
		}
	}
	for name, want := range map[string]process.Permission{"spawn.typescript": process.Allow, "spawn.command": process.Deny} {
		if got := r.Permission(Builtin, name, nil).Permission; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
