package tui

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/process"
)

// family is a tree with a process in each state.
func family() *script {
	s := newScript(
		running(1, "make", "all"),
		below(1, running(2, "cc", "-c", "main.c")),
		below(1, ended(3, process.ExitSuccess, "cc", "-c", "util.c")),
		below(2, running(4, "as")),
		ended(5, process.ExitFailed, "go", "test", "./..."),
		ended(6, process.ExitTimeout, "curl", "http://slow.example"),
		ended(7, process.ExitCanceled, "sleep", "1000"),
	)
	r := s.records[2]
	r.Progress = process.Progress{Kind: process.ProgressDeterminate, Unit: process.UnitFraction, Value: 0.42}
	r.Usage.Tokens = 12_345
	s.records[2] = r
	r = s.records[4]
	r.Paused = true
	s.records[4] = r
	queued := running(8, "ls")
	queued.State, queued.StartedAt = process.Queued, nil
	s.records[8] = queued
	s.say(1, "cc -c main.c", "\x1b[31merror:\x1b[0m no such file", "\x1b]0;owned\a\x1b[2J\x1b[5;5Hsneaky", "wörter\tand tabs")
	s.tell(1, process.OutputAppended{Stream: process.Stderr, Line: "make: warning"})
	return s
}

const settled = "make: warning" // the last that a screen of the family shows

func TestScreens(t *testing.T) {
	ascii := func(c *Config) { c.ASCII, c.Plain = true, true }
	t.Run("80x24", func(t *testing.T) {
		w := open(t, family(), 80, 24, nil)
		w.sees(settled)
		w.golden(true)
	})
	t.Run("120x40", func(t *testing.T) {
		w := open(t, family(), 120, 40, nil)
		w.sees(settled)
		w.golden(false)
	})
	t.Run("ascii without colours", func(t *testing.T) {
		w := open(t, family(), 80, 24, ascii)
		w.sees(settled)
		w.golden(true)
	})
	t.Run("narrow", func(t *testing.T) {
		w := open(t, family(), 40, 10, nil)
		w.sees("make all")
		w.golden(false)
	})
	t.Run("help", func(t *testing.T) {
		w := open(t, family(), 80, 24, nil)
		w.sees(settled)
		w.press("?")
		w.sees("this help")
		w.golden(false)
		w.press("x")
		w.sees(settled)
	})
	t.Run("empty", func(t *testing.T) {
		w := open(t, newScript(), 80, 24, nil)
		w.sees("Nothing has been run yet")
		w.golden(false)
	})
	t.Run("kill dialog", func(t *testing.T) {
		w := open(t, family(), 80, 24, nil)
		w.sees(settled)
		w.press("K")
		w.sees("SIGKILL at once")
		w.golden(false)
	})
	t.Run("approval", func(t *testing.T) {
		s := family()
		s.approvals = []process.Approval{{ID: 3, Process: 1, Service: "shop", Tool: "buy", Params: json.RawMessage(`{"what":"a boat","price":1e6}`)}}
		w := open(t, s, 80, 24, nil)
		w.sees("1 to approve")
		w.sees(settled)
		w.press("a")
		w.sees("a boat")
		w.golden(false)
	})
	t.Run("events", func(t *testing.T) {
		w := open(t, life(), 80, 24, nil)
		w.press("e")
		w.sees(" end ─")
		w.golden(true)
	})
	t.Run("timeline", func(t *testing.T) {
		w := open(t, life(), 80, 24, nil)
		w.press("t")
		w.sees("shop/buy")
		w.golden(false)
	})
	t.Run("away", func(t *testing.T) {
		s := family()
		w := open(t, s, 80, 24, nil)
		w.sees(settled)
		s.change(func() { s.gone = true })
		w.sees("the daemon is away: trying again…")
		w.golden(true)
	})
	t.Run("transcript", func(t *testing.T) {
		s := life()
		r := s.records[1]
		r.Environment = process.EnvAgent
		s.records[1] = r
		s.messages = []process.Message{
			{Number: 1, At: noon, Role: process.RoleUser, Text: "Buy a boat, but not one that is longer than what the harbour of the old town has room for."},
			{Number: 2, At: noon, Step: 1, Role: process.RoleAssistant, Text: "Let me look.\x1b[2J", Calls: []process.MessageCall{{Name: "shop/buy", Arguments: json.RawMessage(`{"what":"a boat"}`)}}},
			{Number: 3, At: noon, Step: 1, Role: process.RoleTool, Name: "shop/buy", Failed: true, Text: "denied"},
		}
		w := open(t, s, 80, 24, nil)
		w.sees("agent")
		w.press("T")
		w.sees("denied")
		w.golden(false)
	})
	t.Run("wrapped", func(t *testing.T) {
		s := newScript(running(1, "long"))
		s.say(1, strings.Repeat("0123456789", 12)+" end of the long line")
		w := open(t, s, 40, 16, nil)
		w.sees("01234")
		w.press("w")
		w.sees("end of the long line")
		w.golden(false)
	})
	t.Run("info", func(t *testing.T) {
		s := family()
		for i := range 100 {
			s.usage.Samples = append(s.usage.Samples, process.UsageSample{At: process.Stamp{Time: noon.Add(time.Duration(i) * time.Second)},
				CPUMS: int64(i * i), RSSBytes: int64(i%20) << 20})
		}
		w := open(t, s, 80, 24, nil)
		w.sees(settled)
		w.press("v")
		w.sees("at most 19.0 MiB")
		w.golden(false)
	})
}

// life is a process to which much has happened.
func life() *script {
	s := newScript(ended(1, process.ExitSuccess, "agent"), below(1, ended(2, process.ExitFailed, "cc")))
	child := s.records[2]
	at := process.Stamp{Time: noon.Add(-8 * time.Second)}
	child.CompletedAt = &at
	s.records[2] = child
	s.tell(1, process.ProcessCreated{}, process.ProcessQueued{}, process.ProcessStarted{PID: 7}, process.PhaseEntered{ID: 1, Name: "build"},
		process.StepStarted{Step: 1}, process.ToolCalled{Call: 1, Service: "shop", Tool: "buy"}, process.ChildSpawned{Child: 2, Run: 1},
		process.Paused{}, process.SignalDelivered{Signal: "SIGTERM", Action: process.ActionDeliver}, process.Resumed{},
		process.ToolReturned{Call: 1, Service: "shop", Tool: "buy", Code: "denied", Error: "no"}, process.StepFinished{Step: 1, InputTokens: 10, OutputTokens: 5},
		process.PhaseExited{ID: 1, Name: "build"}, process.Exited{}, process.Finalized{Outcome: process.Outcome{Kind: process.OutcomeSucceeded}})
	return s
}
