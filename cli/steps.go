package cli

import (
	"context"
	"fmt"

	"github.com/reeverun/reeve/process"
)

// showSteps tells on the terminal what an agent does between its words, until
// its run has ended or ctx is over.
func (j *job) showSteps(ctx context.Context) {
	p := j.app.palette(j.app.Stderr)
	for ev, err := range j.client.Events(ctx, j.id, 0) {
		if err != nil {
			return // the stream of the output says what is wrong
		}
		if text := stepLine(&ev); text != "" && ev.Run == j.run {
			j.screen.note(p.dim(text))
		}
		if ev.Kind == process.KindFinalized && ev.Run == j.run {
			return
		}
	}
}

// stepLine is what people want to see of an event of an agent while it works;
// empty: nothing.
func stepLine(ev *process.Event) string {
	switch d := ev.Data.(type) {
	case process.StepStarted:
		return fmt.Sprintf("step %d", d.Step)
	case process.StepFinished:
		return plain(finishedStep(d))
	case process.ToolCalled:
		return plain(fmt.Sprintf("  call %d: %s/%s", d.Call, d.Service, d.Tool))
	case process.ToolReturned:
		return plain("  back from " + returnedText(d))
	case process.ChildSpawned:
		return fmt.Sprintf("  started process %s", d.Child)
	case process.WarningDetected:
		return plain("  " + d.Message)
	case process.Paused:
		return fmt.Sprintf("paused: 'reeve resume %s' lets it go on", ev.Process)
	case process.Resumed:
		return "resumed"
	}
	return ""
}
