package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/reeverun/reeve/process"
)

// eventLine tells an event in one line: when, which process if there are
// several, what.
func eventLine(ev *process.Event, all bool, p palette) string {
	words := []string{p.dim(ev.At.Local().Format("15:04:05.000"))}
	if all {
		words = append(words, p.bold(fmt.Sprintf("%5s", ev.Process)))
	}
	kind := fmt.Sprintf("%-16s", ev.Kind)
	words = append(words, eventColor(ev, p)(kind))
	if detail := eventDetail(ev); detail != "" {
		words = append(words, detail)
	}
	return strings.TrimRight(strings.Join(words, "  "), " ")
}

func eventColor(ev *process.Event, p palette) func(string) string {
	switch d := ev.Data.(type) {
	case process.OutputAppended:
		return p.dim
	case process.KnownErrorDetected, process.TimedOut, process.InterpreterError:
		return p.red
	case process.ToolReturned:
		if !d.OK {
			return p.yellow
		}
	case process.ApprovalRequested, process.WarningDetected, process.Cancelled, process.Lagged, process.OutputElided:
		return p.yellow
	case process.Finalized:
		if d.Outcome.Succeeded() {
			return p.green
		}
		return p.red
	}
	return p.blue
}

// eventDetail tells what an event carries, for people.
func eventDetail(ev *process.Event) string {
	switch d := ev.Data.(type) {
	case process.OutputAppended:
		return string(d.Stream) + "  " + plain(d.Line)
	case process.OutputElided:
		return fmt.Sprintf("%s not kept", byteCount(d.Bytes))
	case process.ProcessStarted:
		if d.PID != 0 {
			return fmt.Sprintf("run %d, pid %d", ev.Run, d.PID)
		}
		return fmt.Sprintf("run %d", ev.Run)
	case process.ProgressUpdated:
		return progressText(d.Progress)
	case process.LabelUpdated:
		return plain(d.Label)
	case process.PhaseEntered:
		return phaseText(process.Phase(d))
	case process.PhaseUpdated:
		return phaseText(process.Phase(d))
	case process.PhaseExited:
		return phaseText(process.Phase(d))
	case process.WarningDetected:
		return plain(d.Code + ": " + d.Message)
	case process.KnownErrorDetected:
		return plain(d.Code + ": " + d.Message)
	case process.FindingEmitted:
		return plain(fmt.Sprintf("%s %s: %s", d.Finding.Severity, d.Finding.Code, d.Finding.Message))
	case process.PromptDetected:
		return plain(d.Prompt)
	case process.SummarySet:
		return plain(d.Summary)
	case process.ToolCalled:
		return plain(fmt.Sprintf("%s/%s, call %d", d.Service, d.Tool, d.Call))
	case process.ToolReturned:
		return plain(returnedText(d))
	case process.ApprovalRequested:
		return plain(fmt.Sprintf("approval %s: %s/%s, call %d", d.Approval, d.Service, d.Tool, d.Call))
	case process.ApprovalDecided:
		return plain(decidedText(d))
	case process.StepStarted:
		return fmt.Sprintf("step %d", d.Step)
	case process.StepFinished:
		return plain(finishedStep(d))
	case process.ChildSpawned:
		return spawnedText(d)
	case process.Finalized:
		return outcomeText(&d.Outcome)
	}
	return otherDetail(ev)
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

func returnedText(d process.ToolReturned) string {
	took := shortDuration(time.Duration(d.DurationMS) * time.Millisecond)
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

// otherDetail shows the fields of the rarer kinds as they are on the wire.
func otherDetail(ev *process.Event) string {
	b, err := json.Marshal(ev.Data)
	if err != nil || len(b) <= 2 {
		return ""
	}
	return plain(string(b))
}

func phaseText(p process.Phase) string {
	if p.Label != "" && p.Label != p.Name {
		return plain(p.Name + ": " + p.Label)
	}
	return plain(p.Name)
}

func progressText(p process.Progress) string {
	if share, known := p.Share(); known {
		return fmt.Sprintf("%d%%", int(share*100))
	}
	if p.Kind == process.ProgressDeterminate {
		return fmt.Sprintf("%d %s", p.Done, p.Unit)
	}
	return plain(strings.TrimSpace(string(p.Kind) + " " + p.Hint))
}

// outcomeText tells how a run ended, in one line.
func outcomeText(o *process.Outcome) string {
	s := string(o.Kind)
	if o.Reason != nil {
		s += ": " + o.Reason.String()
	}
	if o.Summary != "" {
		s += " (" + o.Summary + ")"
	}
	return plain(s)
}
