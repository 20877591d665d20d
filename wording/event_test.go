package wording

import (
	"testing"

	"github.com/reeverun/reeve/process"
)

// Events are told in words, and no label can drive a terminal.
func TestDetail(t *testing.T) {
	label, signal, parent := "a\x1b[2Jb", "SIGKILL", process.ID(7)
	for want, data := range map[string]process.Payload{
		`command, label a\x1b[2Jb, tags ci web, below 7`: process.ProcessCreated{Environment: "command", Label: &label, Tags: []string{"ci", "web"}, Parent: &parent},
		"typescript":                    process.ProcessCreated{Environment: "typescript"},
		"killed, at once, 12 processes": process.Cancelled{Now: true, Processes: 12},
		"killed, with all below it":     process.Cancelled{Tree: true},
		"SIGTERM: terminate":            process.SignalDelivered{Signal: "SIGTERM", Action: "terminate"},
		"code 137, by SIGKILL":          process.Exited{Code: 137, Signal: &signal},
		"code 0":                        process.Exited{},
		"orphans, dead":                 process.Reaped{Steps: []string{"orphans", "dead"}},
		"after 1m30s":                   process.TimedOut{TimeoutMS: 90_000},
		"silent for 2.0s":               process.Stalled{SilentMS: 2000},
		`{"output":{"a":1}}`:            process.OutputMerged{Output: map[string]any{"a": 1}},
		"":                              process.Paused{},
	} {
		ev := process.New(data)
		if got := Detail(&ev); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
