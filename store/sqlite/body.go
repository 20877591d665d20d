package sqlite

import (
	"encoding/json"
	"time"

	"github.com/reeverun/reeve/process"
)

// bodyJSON is what processes.body and runs.body hold: a run, and for the
// former the process around it, without what has a column. Times are
// nanoseconds; zero values are left out.
type bodyJSON struct {
	Claimed     bool              `json:"claimed,omitempty"`
	Paused      bool              `json:"paused,omitempty"`
	PausedAt    int64             `json:"pausedAt,omitempty"`
	LastSeq     int64             `json:"lastSeq,omitempty"`
	Lifecycle   int               `json:"lifecycle,omitempty"`
	Error       string            `json:"error,omitempty"`
	Exit        *exitJSON         `json:"exit,omitempty"`
	Outcome     *outcomeJSON      `json:"outcome,omitempty"`
	Output      map[string]any    `json:"output,omitempty"`
	StdoutBytes int64             `json:"stdoutBytes,omitempty"`
	StderrBytes int64             `json:"stderrBytes,omitempty"`
	Phase       *process.Phase    `json:"phase,omitempty"`
	Progress    *process.Progress `json:"progress,omitempty"`
	Enforced    *process.Enforced `json:"enforced,omitempty"`
	Usage       *process.Usage    `json:"usage,omitempty"`
	Captured    process.RawOutput `json:"captured,omitempty"`
	StartedAt   int64             `json:"startedAt,omitempty"`
	CompletedAt int64             `json:"completedAt,omitempty"`
}

type exitJSON struct {
	Code   int    `json:"code"`
	Reason string `json:"reason,omitempty"`
	Signal string `json:"signal,omitempty"`
}

type outcomeJSON struct {
	Kind      process.OutcomeKind    `json:"kind"`
	Reason    *process.FailureReason `json:"reason,omitempty"`
	Summary   string                 `json:"summary,omitempty"`
	Findings  []process.Finding      `json:"findings,omitempty"`
	Survivors []process.Survivor     `json:"survivors,omitempty"`
}

func encodeBody(p *process.Process) (string, error) {
	j := runBody(&p.Run)
	j.Claimed, j.Paused, j.PausedAt, j.LastSeq = p.Claimed, p.Paused, optionalNanos(p.PausedAt), p.LastSeq
	b, err := json.Marshal(&j)
	return string(b), err
}

func encodeRun(r *process.Run) (string, error) {
	j := runBody(r)
	b, err := json.Marshal(&j)
	return string(b), err
}

func runBody(r *process.Run) bodyJSON {
	j := bodyJSON{
		Lifecycle: int(r.Lifecycle), Error: r.Error, Output: r.Output,
		StdoutBytes: r.StdoutBytes, StderrBytes: r.StderrBytes,
		Phase: r.Phase, Enforced: r.Enforced, Captured: r.Captured,
		StartedAt: optionalNanos(r.StartedAt), CompletedAt: optionalNanos(r.CompletedAt),
	}
	if r.Exit != nil {
		j.Exit = &exitJSON{r.Exit.Code, r.Exit.Reason, r.Exit.Signal}
	}
	if o := r.Outcome; o != nil {
		j.Outcome = &outcomeJSON{o.Kind, o.Reason, o.Summary, o.Findings, o.Survivors}
	}
	if r.Progress != (process.Progress{}) {
		j.Progress = &r.Progress
	}
	if r.Usage != (process.Usage{}) {
		j.Usage = &r.Usage
	}
	return j
}

// decodeBody fills in what the JSON holds.
func decodeBody(text []byte, p *process.Process) error {
	var j bodyJSON
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	p.Claimed, p.Paused, p.PausedAt, p.LastSeq = j.Claimed, j.Paused, optionalTime(j.PausedAt), j.LastSeq
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
	r.Phase, r.Enforced, r.Captured = j.Phase, j.Enforced, j.Captured
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
