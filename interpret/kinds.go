package interpret

import (
	"fmt"
	"regexp"

	"github.com/reeverun/reeve/process"
)

func compileNothing(*rule, ruleSpec) error { return nil }

func needCode(s ruleSpec) error {
	if s.Code == "" {
		return fmt.Errorf("code: missing")
	}
	return nil
}

func compileLabel(r *rule, s ruleSpec) error {
	var label template
	r.do = func(_ *engine, c *Context, m match) { c.Label(m.expand(label)) }
	return r.texts(textSpec{"label", s.Label, &label})
}

func compileSummary(r *rule, s ruleSpec) error {
	var message template
	r.do = func(_ *engine, c *Context, m match) { c.Summary(m.expand(message)) }
	return r.texts(textSpec{"message", s.Message, &message})
}

func compilePrompt(r *rule, s ruleSpec) error {
	var message template
	r.do = func(_ *engine, c *Context, m match) { c.Prompt(m.expand(message)) }
	return r.texts(textSpec{"message", s.Message, &message})
}

func compileWarning(r *rule, s ruleSpec) error {
	var code, message template
	r.do = func(_ *engine, c *Context, m match) { c.Warn(m.expand(code), m.expand(message)) }
	if err := needCode(s); err != nil {
		return err
	}
	return r.texts(textSpec{"code", s.Code, &code}, textSpec{"message", s.Message, &message})
}

func compileKnownError(r *rule, s ruleSpec) error {
	var code, message template
	r.do = func(e *engine, c *Context, m match) {
		known := process.KnownErrorDetected{Code: m.expand(code), Message: m.expand(message)}
		switch {
		case !s.IfFailed:
			c.KnownError(known.Code, known.Message)
		case e.suspect == nil:
			e.suspect = &known
		}
	}
	if err := needCode(s); err != nil {
		return err
	}
	return r.texts(textSpec{"code", s.Code, &code}, textSpec{"message", s.Message, &message})
}

// findingSpec makes a finding of a match.
type findingSpec struct {
	severity                       process.Severity
	code, message, related, advice template
	action                         *process.Action // its value is in advice
}

func compileFindingSpec(r *rule, s ruleSpec) (f findingSpec, err error) {
	if err := needCode(s); err != nil {
		return f, err
	}
	f.severity = process.Severity(s.Severity)
	switch f.severity {
	case "":
		f.severity = process.Info
	case process.Info, process.Recommendation, process.Warning, process.ErrorSeverity:
	default:
		return f, fmt.Errorf("severity: %q is not info, recommendation, warning or error", s.Severity)
	}
	var advice string
	if f.action, advice, err = compileAction(s.Action); err != nil {
		return f, err
	}
	return f, r.texts(textSpec{"code", s.Code, &f.code}, textSpec{"message", s.Message, &f.message},
		textSpec{"related", s.Related, &f.related}, textSpec{"action", advice, &f.advice})
}

func compileAction(a *actionSpec) (*process.Action, string, error) {
	if a == nil {
		return nil, "", nil
	}
	var out *process.Action
	value := ""
	for kind, v := range map[process.ActionKind]string{
		process.ActionCommand: a.Command, process.ActionLink: a.Link, process.ActionInstruction: a.Instruction,
	} {
		if v == "" {
			continue
		}
		if out != nil {
			return nil, "", fmt.Errorf("action: more than one of command, link and instruction")
		}
		out, value = &process.Action{Kind: kind, Label: a.Label}, v
	}
	if out == nil {
		return nil, "", fmt.Errorf("action: one of command, link and instruction is missing")
	}
	return out, value, nil
}

func (f findingSpec) of(m match) process.Finding {
	out := process.Finding{Severity: f.severity, Code: m.expand(f.code), Message: m.expand(f.message)}
	if f.action != nil {
		a := *f.action
		a.Value = m.expand(f.advice)
		out.Action = &a
	}
	if len(f.related) > 0 {
		if rel := m.expand(f.related); rel != "" {
			out.Related = &rel
		}
	}
	return out
}

func compileFinding(r *rule, s ruleSpec) error {
	f, err := compileFindingSpec(r, s)
	if err != nil {
		return err
	}
	if s.RelNext == "" {
		r.do = func(_ *engine, c *Context, m match) { c.Finding(f.of(m)) }
		return nil
	}
	next, err := regexp.Compile(s.RelNext)
	if err != nil {
		return fmt.Errorf("related_next: %w", err)
	}
	r.do = func(e *engine, _ *Context, m match) { e.follow(m.stream, &relatedNext{f.of(m), next}) }
	return nil
}
