package cli

import (
	"fmt"
	"strings"

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
