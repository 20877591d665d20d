package interpret

import (
	"fmt"
	"unicode/utf8"

	"github.com/reeverun/reeve/process"
)

// Limits bound what one run may record, so that output cannot flood the
// store. What goes beyond is dropped and said so once, by an
// interpreter_error; phases stay balanced, and the last progress is told at
// the end. Zero fields mean the defaults.
type Limits struct {
	Findings    int // 1000
	KnownErrors int // 1000
	Warnings    int // 1000
	Prompts     int // 1000
	Summaries   int // 1000
	Labels      int // 10000: labels, and labels of phases
	Phases      int // 10000
	Progress    int // 10000
	Errors      int // 100: mistakes of the interpreter
}

func (l Limits) withDefaults() Limits {
	for _, f := range []struct {
		v   *int
		def int
	}{
		{&l.Findings, 1000}, {&l.KnownErrors, 1000}, {&l.Warnings, 1000}, {&l.Prompts, 1000}, {&l.Summaries, 1000},
		{&l.Labels, 10000}, {&l.Phases, 10000}, {&l.Progress, 10000}, {&l.Errors, 100},
	} {
		if *f.v == 0 {
			*f.v = f.def
		}
	}
	return l
}

// of returns the limit for payloads of p's kind, 0 for none. Progress and
// phases are bounded where they are made.
func (l Limits) of(p process.Payload) int {
	switch p := p.(type) {
	case process.FindingEmitted:
		return l.Findings
	case process.KnownErrorDetected:
		return l.KnownErrors
	case process.WarningDetected:
		return l.Warnings
	case process.PromptDetected:
		return l.Prompts
	case process.SummarySet:
		return l.Summaries
	case process.LabelUpdated, process.PhaseUpdated:
		return l.Labels
	case process.InterpreterError:
		if !p.Disabled {
			return l.Errors
		}
	}
	return 0
}

func tooMany(p process.Payload, limit int) process.Payload {
	return process.InterpreterError{
		Error: fmt.Sprintf("more than %d %s events in one run: the rest are not recorded", limit, process.New(p).Kind),
	}
}

// counts are the payloads a run has recorded, by kind.
type counts struct {
	findings, errors, warnings, prompts, summaries, labels, progress, mistakes int
}

// add counts a payload and returns how many there are of its kind.
func (c *counts) add(p process.Payload) int {
	n := new(int)
	switch p.(type) {
	case process.FindingEmitted:
		n = &c.findings
	case process.KnownErrorDetected:
		n = &c.errors
	case process.WarningDetected:
		n = &c.warnings
	case process.PromptDetected:
		n = &c.prompts
	case process.SummarySet:
		n = &c.summaries
	case process.LabelUpdated, process.PhaseUpdated:
		n = &c.labels
	case process.ProgressUpdated:
		n = &c.progress
	case process.InterpreterError:
		n = &c.mistakes
	}
	*n++
	return *n
}

// maxText bounds a text an event carries. A line may be 64 KiB long; a
// message of that length helps nobody.
const maxText = 2 << 10

// clip shortens a text to maxText bytes, at a rune's border.
func clip(s string) string {
	if len(s) <= maxText {
		return s
	}
	n := maxText - len("…")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
