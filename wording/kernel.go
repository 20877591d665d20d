package wording

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/reeverun/reeve/process"
)

// kernelDetail tells what an event of the life of a run carries.
func kernelDetail(ev *process.Event) string {
	switch d := ev.Data.(type) {
	case process.ProcessCreated:
		return createdText(d)
	case process.Cancelled:
		return cancelledText(d)
	case process.SignalDelivered:
		return d.Signal + ": " + d.Action
	case process.Exited:
		if d.Signal != nil {
			return fmt.Sprintf("code %d, by %s", d.Code, *d.Signal)
		}
		return fmt.Sprintf("code %d", d.Code)
	case process.Reaped:
		return strings.Join(d.Steps, ", ")
	case process.Reparented:
		return fmt.Sprintf("from %d to %d", d.From, d.To)
	case process.Reattached:
		return fmt.Sprintf("pid %d", d.PID)
	case process.Lagged:
		return Plural(int(d.Missed), "event was missed", "events were missed")
	case process.TimedOut:
		return "after " + milliseconds(d.TimeoutMS)
	case process.Stalled:
		return "silent for " + milliseconds(d.SilentMS)
	case process.Recovered:
		return "after " + milliseconds(d.SilentMS)
	}
	return otherDetail(ev)
}

func milliseconds(n int64) string { return Duration(time.Duration(n) * time.Millisecond) }

func createdText(d process.ProcessCreated) string {
	words := []string{d.Environment}
	if d.Label != nil {
		words = append(words, "label "+*d.Label)
	}
	if len(d.Tags) > 0 {
		words = append(words, "tags "+strings.Join(d.Tags, " "))
	}
	if d.Parent != nil {
		words = append(words, fmt.Sprintf("below %d", *d.Parent))
	}
	return Plain(strings.Join(words, ", "))
}

func cancelledText(d process.Cancelled) string {
	words := []string{"killed"}
	if d.Now {
		words = append(words, "at once")
	}
	if d.Tree {
		words = append(words, "with all below it")
	}
	if d.Processes > 0 {
		words = append(words, Plural(d.Processes, "process", "processes"))
	}
	return strings.Join(words, ", ")
}

// otherDetail shows the fields of the rarer kinds as they are on the wire.
func otherDetail(ev *process.Event) string {
	b, err := json.Marshal(ev.Data)
	if err != nil || len(b) <= 2 {
		return ""
	}
	return Plain(string(b))
}
