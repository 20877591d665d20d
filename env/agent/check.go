package agent

import (
	"cmp"
	"slices"
	"strings"

	"github.com/reeverun/reeve/env/agent/model"
	"github.com/reeverun/reeve/process"
)

const (
	maxIntent = 1 << 20
	maxSystem = 256 << 10
	mostSteps = 1_000_000
)

// variables say how a provider is configured.
var variables = map[string]string{
	OpenAI:    "OPENAI_API_KEY (and OPENAI_BASE_URL for another server that speaks its protocol)",
	Anthropic: "ANTHROPIC_API_KEY (and ANTHROPIC_BASE_URL)",
}

// Check refuses what no run could do.
func (e *Env) Check(s *process.Spec) error {
	o := &s.Options
	if _, err := e.provider(o.Provider, o.Model); err != nil {
		return err
	}
	switch {
	case strings.TrimSpace(s.Code) == "":
		return process.Invalid("code", "an agent needs an intent: say what it shall do")
	case len(s.Code) > maxIntent:
		return process.Invalid("code", "it has %d bytes; an intent has at most %d", len(s.Code), maxIntent)
	case len(o.System) > maxSystem:
		return process.Invalid("options.system", "it has %d bytes; at most %d are allowed", len(o.System), maxSystem)
	case o.MaxSteps < 0 || o.MaxSteps > mostSteps:
		return process.Invalid("options.maxSteps", "%d is not a number of steps: want 1 to %d, or 0 for the default", o.MaxSteps, mostSteps)
	case o.Limits != (process.Limits{}):
		return process.Invalid("options.limits", "an agent is no process of the system: bound it by options.budget")
	}
	_, _, err := e.choose(o)
	return err
}

// choose finds the endpoint and the model of a run.
func (e *Env) choose(o *process.Options) (model.Model, string, error) {
	name := cmp.Or(o.Model, e.cfg.Model)
	provider, err := e.provider(o.Provider, name)
	if err != nil {
		return nil, "", err
	}
	if name == "" {
		return nil, "", process.Invalid("options.model", "say which model to ask: this server has no default")
	}
	return e.cfg.Models[provider], name, nil
}

func (e *Env) provider(asked, name string) (string, error) {
	unavailable := func(what, hint string) error {
		return &process.Error{Code: process.CodeNoEnvironment, Message: what, Hint: hint}
	}
	switch {
	case asked != "" && variables[asked] == "":
		return "", process.Invalid("options.provider", "%q is not a provider: want %s or %s", asked, OpenAI, Anthropic)
	case asked != "" && e.cfg.Models[asked] == nil:
		return "", unavailable("agents cannot use "+asked+": it is not configured",
			"set "+variables[asked]+" in the daemon's environment, and start it again")
	case asked != "":
		return asked, nil
	case len(e.cfg.Models) == 0:
		return "", unavailable("agents cannot be run: no model is configured",
			"set "+variables[OpenAI]+" or "+variables[Anthropic]+" in the daemon's environment, and start it again")
	case strings.HasPrefix(name, "claude") && e.cfg.Models[Anthropic] != nil:
		return Anthropic, nil
	case e.cfg.Models[OpenAI] != nil:
		return OpenAI, nil
	}
	return e.only(), nil
}

// only is the provider there is, where OpenAI is not.
func (e *Env) only() string {
	var names []string
	for n := range e.cfg.Models {
		names = append(names, n)
	}
	return slices.Min(names)
}
