package tui

import (
	"cmp"
	"fmt"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/wording"
)

// factText is an event in one line.
func (t theme) factText(ev *process.Event) string {
	head := t.paint(dim, ev.At.Local().Format("15:04:05.000")) + "  " + t.paint(factColor(ev), fmt.Sprintf("%-18s", ev.Kind))
	if detail := t.safe(wording.Detail(ev)); detail != "" {
		head += "  " + detail
	}
	return head
}

// factColor says how an event is meant.
func factColor(ev *process.Event) string {
	switch d := ev.Data.(type) {
	case process.KnownErrorDetected, process.TimedOut, process.InterpreterError:
		return red
	case process.ToolReturned:
		if !d.OK {
			return yellow
		}
	case process.ApprovalRequested, process.WarningDetected, process.Cancelled, process.Paused, process.Stalled:
		return yellow
	case process.Finalized:
		if d.Outcome.Succeeded() {
			return green
		}
		return red
	}
	return blue
}

func elidedText(d process.OutputElided) string {
	return fmt.Sprintf("[%s of %s were not kept]", wording.Bytes(d.Bytes), cmp.Or(string(d.Stream), "the output"))
}
