package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

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

// finishedStep tells what a step took.
func finishedStep(d process.StepFinished) string {
	words := []string{tokensText(d.InputTokens, d.CachedTokens, d.OutputTokens)}
	if d.CostUSD != nil {
		words = append(words, dollars(*d.CostUSD))
	}
	if d.Retries > 0 {
		words = append(words, fmt.Sprintf("asked %d times", d.Retries+1))
	}
	words = append(words, shortDuration(time.Duration(d.DurationMS)*time.Millisecond))
	s := fmt.Sprintf("step %d: %s", d.Step, strings.Join(words, ", "))
	if d.Error != "" {
		s += ": " + firstLine(d.Error)
	}
	return s
}

func tokensText(input, cached, output int64) string {
	s := fmt.Sprintf("%d tokens in", input)
	if cached > 0 {
		s += fmt.Sprintf(" (%d cached)", cached)
	}
	return s + fmt.Sprintf(", %d out", output)
}

// dollars shows what is small, too.
func dollars(usd float64) string {
	if usd != 0 && usd < 0.01 {
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}
