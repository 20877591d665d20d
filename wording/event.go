package wording

import (
	"fmt"
	"strings"
	"time"

	"github.com/reeverun/reeve/process"
)

// Detail tells what an event carries, for people.
func Detail(ev *process.Event) string {
	switch d := ev.Data.(type) {
	case process.OutputAppended:
		return string(d.Stream) + "  " + Plain(d.Line)
	case process.OutputElided:
		return fmt.Sprintf("%s not kept", Bytes(d.Bytes))
	case process.ProcessStarted:
		if d.PID != 0 {
			return fmt.Sprintf("run %d, pid %d", ev.Run, d.PID)
		}
		return fmt.Sprintf("run %d", ev.Run)
	case process.ProgressUpdated:
		return Progress(d.Progress)
	case process.LabelUpdated:
		return Plain(d.Label)
	case process.PhaseEntered:
		return Phase(process.Phase(d))
	case process.PhaseUpdated:
		return Phase(process.Phase(d))
	case process.PhaseExited:
		return Phase(process.Phase(d))
	case process.WarningDetected:
		return Plain(d.Code + ": " + d.Message)
	case process.KnownErrorDetected:
		return Plain(d.Code + ": " + d.Message)
	case process.FindingEmitted:
		return Plain(fmt.Sprintf("%s %s: %s", d.Finding.Severity, d.Finding.Code, d.Finding.Message))
	case process.PromptDetected:
		return Plain(d.Prompt)
	case process.SummarySet:
		return Plain(d.Summary)
	case process.ToolCalled:
		return Plain(fmt.Sprintf("%s/%s, call %d", d.Service, d.Tool, d.Call))
	case process.ToolReturned:
		return Plain(Returned(d))
	case process.ApprovalRequested:
		return Plain(fmt.Sprintf("approval %s: %s/%s, call %d", d.Approval, d.Service, d.Tool, d.Call))
	case process.ApprovalDecided:
		return Plain(decidedText(d))
	case process.StepStarted:
		return fmt.Sprintf("step %d", d.Step)
	case process.StepFinished:
		return Plain(Step(d))
	case process.ChildSpawned:
		return spawnedText(d)
	case process.Finalized:
		return Outcome(&d.Outcome)
	}
	return kernelDetail(ev)
}

func spawnedText(d process.ChildSpawned) string {
	s := fmt.Sprintf("process %d, run %d", d.Child, d.Run)
	if d.Restart > 0 {
		s += fmt.Sprintf(", restart %d", d.Restart)
	}
	if d.Because != 0 && d.Because != d.Child {
		s += fmt.Sprintf(" because of %d", d.Because)
	}
	return s
}

// Returned tells what came of a tool call.
func Returned(d process.ToolReturned) string {
	took := Duration(time.Duration(d.DurationMS) * time.Millisecond)
	if d.OK {
		return fmt.Sprintf("%s/%s, call %d, after %s", d.Service, d.Tool, d.Call, took)
	}
	return fmt.Sprintf("%s/%s, call %d, after %s: %s: %s", d.Service, d.Tool, d.Call, took, d.Code, d.Error)
}

func decidedText(d process.ApprovalDecided) string {
	s := fmt.Sprintf("approval %s: %s", d.Approval, d.State)
	if d.By != "" {
		s += " by " + d.By
	}
	if d.Reason != "" {
		s += " (" + d.Reason + ")"
	}
	return s
}

// Phase is the name of a phase, and its label where that says more.
func Phase(p process.Phase) string {
	if p.Label != "" && p.Label != p.Name {
		return Plain(p.Name + ": " + p.Label)
	}
	return Plain(p.Name)
}

// Progress tells how far a run is, in a few words.
func Progress(p process.Progress) string {
	if share, known := p.Share(); known {
		return fmt.Sprintf("%d%%", int(share*100))
	}
	if p.Kind == process.ProgressDeterminate {
		return fmt.Sprintf("%d %s", p.Done, p.Unit)
	}
	return Plain(strings.TrimSpace(string(p.Kind) + " " + p.Hint))
}

// Outcome tells how a run ended, in one line.
func Outcome(o *process.Outcome) string {
	s := string(o.Kind)
	if o.Reason != nil {
		s += ": " + o.Reason.String()
	}
	if o.Summary != "" {
		s += " (" + o.Summary + ")"
	}
	return Plain(s)
}
