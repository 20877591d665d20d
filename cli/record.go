package cli

import (
	"time"

	"github.com/reeverun/reeve/process"
)

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
