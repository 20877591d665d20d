package sqlite

import (
	"encoding/json"
	"time"

	"github.com/reeverun/reeve/process"
)

// bodyJSON is what processes.body and runs.body hold: a run, and for the
// former the process around it, without what has a column. Times are
// nanoseconds; zero values are left out. It is what is read; the same fields
// are written by hand, below.
type bodyJSON struct {
	Claimed     bool              `json:"claimed"`
	Ahead       bool              `json:"ahead"`
	Paused      bool              `json:"paused"`
	PausedAt    int64             `json:"pausedAt"`
	LastSeq     int64             `json:"lastSeq"`
	Lifecycle   int               `json:"lifecycle"`
	Error       string            `json:"error"`
	Exit        *exitJSON         `json:"exit"`
	Outcome     *outcomeJSON      `json:"outcome"`
	Output      map[string]any    `json:"output"`
	StdoutBytes int64             `json:"stdoutBytes"`
	StderrBytes int64             `json:"stderrBytes"`
	Phase       *process.Phase    `json:"phase"`
	Progress    *process.Progress `json:"progress"`
	Enforced    *process.Enforced `json:"enforced"`
	Usage       *process.Usage    `json:"usage"`
	Captured    process.RawOutput `json:"captured"`
	StartedAt   int64             `json:"startedAt"`
	CompletedAt int64             `json:"completedAt"`
	Resumed     bool              `json:"resumed"`
}

type exitJSON struct {
	Code   int    `json:"code"`
	Reason string `json:"reason"`
	Signal string `json:"signal"`
}

type outcomeJSON struct {
	Kind      process.OutcomeKind    `json:"kind"`
	Reason    *process.FailureReason `json:"reason"`
	Summary   string                 `json:"summary"`
	Findings  []process.Finding      `json:"findings"`
	Survivors []process.Survivor     `json:"survivors"`
}

func (o *object) body(p *process.Process) (string, error) {
	o.start()
	o.bool("claimed", p.Claimed)
	o.bool("ahead", p.Ahead)
	o.bool("paused", p.Paused)
	o.int("pausedAt", optionalNanos(p.PausedAt))
	o.int("lastSeq", p.LastSeq)
	o.run(&p.Run)
	return o.done()
}

func (o *object) archived(r *process.Run) (string, error) {
	o.start()
	o.run(r)
	return o.done()
}

func (o *object) run(r *process.Run) {
	o.int("lifecycle", int64(r.Lifecycle))
	o.string("error", r.Error)
	if r.Exit != nil {
		o.key("exit")
		o.open()
		o.int("code", int64(r.Exit.Code))
		o.string("reason", r.Exit.Reason)
		o.string("signal", r.Exit.Signal)
		o.close()
	}
	if r.Outcome != nil {
		o.outcome(r.Outcome)
	}
	if len(r.Output) > 0 {
		o.value("output", r.Output)
	}
	o.int("stdoutBytes", r.StdoutBytes)
	o.int("stderrBytes", r.StderrBytes)
	if r.Phase != nil {
		o.value("phase", r.Phase)
	}
	if r.Progress != (process.Progress{}) {
		o.value("progress", r.Progress)
	}
	if r.Enforced != nil {
		o.key("enforced")
		o.open()
		o.string("treeKill", r.Enforced.TreeKill)
		o.strings("confined", r.Enforced.Confined)
		o.strings("missing", r.Enforced.Missing)
		o.close()
	}
	o.usage(&r.Usage)
	o.string("captured", string(r.Captured))
	o.int("startedAt", optionalNanos(r.StartedAt))
	o.int("completedAt", optionalNanos(r.CompletedAt))
	o.bool("resumed", r.Resumed)
}

func (o *object) outcome(v *process.Outcome) {
	o.key("outcome")
	o.open()
	o.string("kind", string(v.Kind))
	if v.Reason != nil {
		o.value("reason", v.Reason)
	}
	o.string("summary", v.Summary)
	if len(v.Findings) > 0 {
		o.value("findings", v.Findings)
	}
	if len(v.Survivors) > 0 {
		o.value("survivors", v.Survivors)
	}
	o.close()
}

func (o *object) usage(u *process.Usage) {
	if *u == (process.Usage{}) {
		return
	}
	o.key("usage")
	o.open()
	o.int("wallMs", u.WallMS)
	o.int("pausedMs", u.PausedMS)
	o.int("cpuMs", u.CPUMS)
	o.int("maxRssBytes", u.MaxRSSBytes)
	o.int("tokens", u.Tokens)
	o.close()
}

// decodeBody fills in what the JSON holds.
func decodeBody(text []byte, p *process.Process) error {
	var j bodyJSON
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	p.Claimed, p.Ahead, p.Paused, p.PausedAt, p.LastSeq = j.Claimed, j.Ahead, j.Paused, optionalTime(j.PausedAt), j.LastSeq
	j.into(&p.Run)
	return nil
}

func decodeRun(text []byte, r *process.Run) error {
	var j bodyJSON
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	j.into(r)
	return nil
}

func (j *bodyJSON) into(r *process.Run) {
	r.Lifecycle, r.Error, r.Output = process.Lifecycle(j.Lifecycle), j.Error, j.Output
	r.StdoutBytes, r.StderrBytes = j.StdoutBytes, j.StderrBytes
	r.Phase, r.Enforced, r.Captured, r.Resumed = j.Phase, j.Enforced, j.Captured, j.Resumed
	r.StartedAt, r.CompletedAt = optionalTime(j.StartedAt), optionalTime(j.CompletedAt)
	if j.Exit != nil {
		r.Exit = &process.Exit{Code: j.Exit.Code, Reason: j.Exit.Reason, Signal: j.Exit.Signal}
	}
	if o := j.Outcome; o != nil {
		r.Outcome = &process.Outcome{Kind: o.Kind, Reason: o.Reason, Summary: o.Summary,
			Findings: o.Findings, Survivors: o.Survivors}
	}
	if j.Progress != nil {
		r.Progress = *j.Progress
	}
	if j.Usage != nil {
		r.Usage = *j.Usage
	}
}

// optionalNanos is nanos for JSON, where 0 stands for the zero time and is
// left out.
func optionalNanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return nanos(t)
}

func optionalTime(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return fromNanos(n)
}
