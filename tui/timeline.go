package tui

import (
	"fmt"
	"time"

	"github.com/reeverun/reeve/process"
)

// bar is something that took time, or happened at one.
type bar struct {
	label    string
	color    string
	from, to time.Time
	open     bool // it has not ended
	moment   bool // it took no time
}

// timeline gathers the bars of one run from its events.
type timeline struct {
	theme      theme
	bars       []bar
	open       map[string]int // by what ends them
	start, end time.Time
	child      func(process.ID) *node
}

// timelineOf reads the newest run among the events.
func (m *Model) timelineOf(entries []entry) *timeline {
	t := &timeline{theme: m.theme, open: map[string]int{}, child: func(id process.ID) *node { return m.board.nodes[id] }}
	run := 0
	for i := range entries {
		run = max(run, entries[i].run)
	}
	for i := range entries {
		if ev := &entries[i].event; ev.Run == run && run > 0 && ev.Data != nil {
			t.take(ev)
		}
	}
	t.close(m.now)
	return t
}

func (t *timeline) begin(key, label, color string, at time.Time) {
	t.open[key] = len(t.bars)
	t.bars = append(t.bars, bar{label: t.theme.safe(label), color: color, from: at, to: at, open: true})
}

func (t *timeline) finish(key string, at time.Time, color string) {
	i, ok := t.open[key]
	if !ok {
		return
	}
	delete(t.open, key)
	t.bars[i].to, t.bars[i].open = at, false
	if color != "" {
		t.bars[i].color = color
	}
}

func (t *timeline) moment(label, color string, at time.Time) {
	t.bars = append(t.bars, bar{label: t.theme.safe(label), color: color, from: at, to: at, moment: true})
}

func (t *timeline) take(ev *process.Event) {
	if t.start.IsZero() {
		t.start = ev.At
	}
	t.end = ev.At
	switch d := ev.Data.(type) {
	case process.ProcessQueued:
		t.begin("queue", "queued", dim, ev.At)
	case process.ProcessStarted:
		t.finish("queue", ev.At, "")
		t.begin("run", fmt.Sprintf("run %d", ev.Run), blue, ev.At)
	case process.Reattached:
		t.moment("found again", cyan, ev.At)
	case process.PhaseEntered:
		t.begin(fmt.Sprint("phase ", d.ID), "phase "+d.Name, cyan, ev.At)
	case process.PhaseExited:
		t.finish(fmt.Sprint("phase ", d.ID), ev.At, "")
	case process.StepStarted:
		t.begin(fmt.Sprint("step ", d.Step), fmt.Sprintf("step %d", d.Step), cyan, ev.At)
	case process.StepFinished:
		t.finish(fmt.Sprint("step ", d.Step), ev.At, failure(d.Error != ""))
	case process.ToolCalled:
		t.begin(fmt.Sprint("call ", d.Call), d.Service+"/"+d.Tool, green, ev.At)
	case process.ToolReturned:
		t.finish(fmt.Sprint("call ", d.Call), ev.At, failure(!d.OK))
	case process.ApprovalRequested:
		t.begin(fmt.Sprint("approval ", d.Approval), "waits for approval "+d.Approval.String(), yellow, ev.At)
	case process.ApprovalDecided:
		t.finish(fmt.Sprint("approval ", d.Approval), ev.At, failure(d.State != process.ApprovalApproved))
	default:
		t.takeRare(ev)
	}
}

func failure(failed bool) string {
	if failed {
		return red
	}
	return ""
}

func (t *timeline) takeRare(ev *process.Event) {
	switch d := ev.Data.(type) {
	case process.ChildSpawned:
		t.spawned(d, ev.At)
	case process.Paused:
		t.begin("pause", "paused", yellow, ev.At)
	case process.Resumed:
		t.finish("pause", ev.At, "")
	case process.SignalDelivered:
		t.moment(d.Signal, yellow, ev.At)
	case process.Cancelled:
		t.moment("killed", red, ev.At)
	case process.TimedOut:
		t.moment("timed out", red, ev.At)
	case process.Stalled:
		t.begin("stall", "stalled", yellow, ev.At)
	case process.Recovered:
		t.finish("stall", ev.At, "")
	case process.KnownErrorDetected:
		t.moment("error "+d.Code, red, ev.At)
	case process.WarningDetected:
		t.moment("warning "+d.Code, yellow, ev.At)
	case process.Finalized:
		for key := range t.open {
			t.finish(key, ev.At, "")
		}
	}
}

// spawned adds a child: how long it took is in its own record.
func (t *timeline) spawned(d process.ChildSpawned, at time.Time) {
	b := bar{label: fmt.Sprintf("child %s", d.Child), color: blue, from: at, to: at}
	n := t.child(d.Child)
	switch {
	case n == nil || n.rec.Run != d.Run:
		b.moment = true
	case n.rec.State == process.Idle && n.rec.CompletedAt != nil:
		b.to = n.rec.CompletedAt.Time
		b.color = lookOf(string(*n.rec.ExitState)).color
	default:
		b.open = true
	}
	if n != nil {
		b.label += " " + n.title
	}
	t.bars = append(t.bars, b)
}

// close lets what has not ended go on until now.
func (t *timeline) close(now time.Time) {
	for i := range t.bars {
		b := &t.bars[i]
		if b.open && now.After(b.from) {
			b.to = now
		}
		if b.to.After(t.end) {
			t.end = b.to
		}
	}
}
