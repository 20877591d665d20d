package wording

import (
	"strings"

	"github.com/reeverun/reeve/process"
)

// State is what a list says about a process: where it is, or how it ended.
func State(r *process.Record) string {
	switch {
	case r.Paused && r.State == process.Running:
		return "paused"
	case r.State != process.Idle:
		return string(r.State)
	case r.ExitState == nil:
		return "idle"
	}
	return string(*r.ExitState)
}

// CommandLine is what a process runs, in one line.
func CommandLine(r *process.Record) string {
	if r.Command != nil {
		words := []string{quote(r.Command.Program)}
		for _, arg := range r.Command.Args {
			words = append(words, quote(arg))
		}
		return strings.Join(words, " ")
	}
	if r.Code != nil {
		return Plain(strings.Join(strings.Fields(*r.Code), " "))
	}
	return ""
}

// quote writes a word as a shell would want it, if it has to.
func quote(word string) string {
	const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%^"
	if word != "" && strings.Trim(word, safe) == "" {
		return word
	}
	return "'" + Plain(strings.ReplaceAll(word, "'", `'\''`)) + "'"
}

// Title is the best name for a process.
func Title(r *process.Record) string {
	if r.Label != nil {
		return Plain(*r.Label)
	}
	return CommandLine(r)
}
