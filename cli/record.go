package cli

import (
	"strings"
	"time"

	"github.com/reeverun/reeve/process"
)

// stateWord is what a list says about a process: where it is, or how it ended.
func stateWord(r *process.Record) string {
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

// stateColor paints a stateWord.
func (p palette) stateColor(r *process.Record) func(string) string {
	switch stateWord(r) {
	case "running":
		return p.blue
	case "queued", "idle":
		return p.dim
	case "paused", "terminating", "canceled":
		return p.yellow
	case "success":
		return p.green
	}
	return p.red
}

// commandLine is what a process runs, in one line.
func commandLine(r *process.Record) string {
	if r.Command != nil {
		words := []string{quote(r.Command.Program)}
		for _, arg := range r.Command.Args {
			words = append(words, quote(arg))
		}
		return strings.Join(words, " ")
	}
	if r.Code != nil {
		return plain(strings.Join(strings.Fields(*r.Code), " "))
	}
	return ""
}

// quote writes a word as a shell would want it, if it has to.
func quote(word string) string {
	const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%^"
	if word != "" && strings.Trim(word, safe) == "" {
		return word
	}
	return "'" + plain(strings.ReplaceAll(word, "'", `'\''`)) + "'"
}

// title is the best name for a process.
func title(r *process.Record) string {
	if r.Label != nil {
		return plain(*r.Label)
	}
	return commandLine(r)
}

// elapsed is how long a run took so far, without pauses; empty before its start.
func elapsed(r *process.Record) string {
	if r.StartedAt == nil {
		return ""
	}
	return shortDuration(time.Duration(r.Usage.WallMS) * time.Millisecond)
}

// age is how long ago a process was made.
func age(r *process.Record, now time.Time) string {
	return agoText(now.Sub(r.CreatedAt.Time))
}

func value(s *string) string { return plain(unset(s)) }
