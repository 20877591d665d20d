package process

import (
	"encoding/json"
	"fmt"
	"time"
)

// Exit is how a run ended, in numbers. Signal is empty unless an operating
// system signal ended it.
type Exit struct {
	Code   int
	Reason string
	Signal string
}

type exitJSON struct {
	Code   int     `json:"code"`
	Reason string  `json:"reason"`
	Signal *string `json:"signal"`
}

// MarshalJSON writes an absent signal as null.
func (e Exit) MarshalJSON() ([]byte, error) {
	return json.Marshal(exitJSON{e.Code, e.Reason, nilIfZero(e.Signal)})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *Exit) UnmarshalJSON(b []byte) error {
	var w exitJSON
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*e = Exit{w.Code, w.Reason, orZero(w.Signal)}
	return nil
}

// Exit codes and reasons with a fixed meaning.
const (
	ReasonCompleted = "completed"
	ReasonVanished  = "unexpected exit"
	ReasonTimeout   = "timeout"
	ReasonCanceled  = "canceled"

	// ReasonPaused is that of a run killed while it was paused; its code is 1.
	ReasonPaused = "context cancelled while paused"
	// ReasonHostStopped is that of a supervised run that ended with its host, while
	// its supervisor goes on under the next one.
	ReasonHostStopped = "host stopped"
	// ReasonMaxSteps is that of an agent that took all its steps; its code is 1.
	ReasonMaxSteps = "max steps exceeded"
	// ReasonBudget is that of a run whose budget, or one above it, was used up.
	ReasonBudget = "budget_exceeded"

	ExitCodeBudget   = 2
	ExitCodeTimeout  = 124
	ExitCodeCanceled = 130
)

// OutcomeKind is the verdict on a run.
type OutcomeKind string

// The verdicts.
const (
	OutcomeSucceeded OutcomeKind = "succeeded"
	OutcomeFailed    OutcomeKind = "failed"
	OutcomeCancelled OutcomeKind = "cancelled"
)

// Outcome is the verdict on a run with its evidence. Evidence (summary,
// findings) enriches the verdict and never changes it.
type Outcome struct {
	Kind      OutcomeKind
	Reason    *FailureReason // set when failed
	Summary   string
	Findings  []Finding
	Survivors []Survivor // processes still alive after the kill; normally none
}

// Succeeded reports whether the run did.
func (o Outcome) Succeeded() bool { return o.Kind == OutcomeSucceeded }

type outcomeJSON struct {
	Kind      OutcomeKind    `json:"kind"`
	Reason    *FailureReason `json:"reason,omitempty"`
	Summary   *string        `json:"summary"`
	Findings  []Finding      `json:"findings"`
	Survivors []Survivor     `json:"survivors"`
}

// MarshalJSON writes lists as lists and an absent summary as null.
func (o Outcome) MarshalJSON() ([]byte, error) {
	w := outcomeJSON{o.Kind, o.Reason, nilIfZero(o.Summary), o.Findings, o.Survivors}
	if w.Findings == nil {
		w.Findings = []Finding{}
	}
	if w.Survivors == nil {
		w.Survivors = []Survivor{}
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (o *Outcome) UnmarshalJSON(b []byte) error {
	var w outcomeJSON
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*o = Outcome{w.Kind, w.Reason, orZero(w.Summary), w.Findings, w.Survivors}
	if len(o.Findings) == 0 {
		o.Findings = nil
	}
	if len(o.Survivors) == 0 {
		o.Survivors = nil
	}
	return nil
}

// ReasonKind says why a run failed.
type ReasonKind string

// The reasons for failure.
const (
	FailSpawn      ReasonKind = "spawn_failed"
	FailTimeout    ReasonKind = "timeout"
	FailKnownError ReasonKind = "known_error"
	FailSignal     ReasonKind = "signal"
	FailExitCode   ReasonKind = "non_zero_exit"
)

// FailureReason says why a run failed. Which fields are set depends on Kind.
type FailureReason struct {
	Kind     ReasonKind
	Error    string // spawn_failed
	Code     string // known_error: the error's code
	Message  string // known_error
	Signal   string // signal
	ExitCode int    // non_zero_exit
}

// MarshalJSON writes the fields that belong to the kind.
func (r FailureReason) MarshalJSON() ([]byte, error) {
	switch r.Kind {
	case FailSpawn:
		return json.Marshal(map[string]any{"kind": r.Kind, "error": r.Error})
	case FailKnownError:
		return json.Marshal(map[string]any{"kind": r.Kind, "code": r.Code, "message": r.Message})
	case FailSignal:
		return json.Marshal(map[string]any{"kind": r.Kind, "signal": r.Signal})
	case FailExitCode:
		return json.Marshal(map[string]any{"kind": r.Kind, "code": r.ExitCode})
	default:
		return json.Marshal(map[string]any{"kind": r.Kind})
	}
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *FailureReason) UnmarshalJSON(b []byte) error {
	var w struct {
		Kind    ReasonKind      `json:"kind"`
		Error   string          `json:"error"`
		Code    json.RawMessage `json:"code"`
		Message string          `json:"message"`
		Signal  string          `json:"signal"`
	}
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*r = FailureReason{Kind: w.Kind, Error: w.Error, Message: w.Message, Signal: w.Signal}
	switch w.Kind {
	case FailKnownError:
		return json.Unmarshal(w.Code, &r.Code)
	case FailExitCode:
		return json.Unmarshal(w.Code, &r.ExitCode)
	}
	return nil
}

// String says the reason in a few words.
func (r FailureReason) String() string {
	switch r.Kind {
	case FailSpawn:
		return r.Error
	case FailKnownError:
		return r.Code + ": " + r.Message
	case FailSignal:
		return "signal " + r.Signal
	case FailExitCode:
		return fmt.Sprintf("exit status %d", r.ExitCode)
	default:
		return string(r.Kind)
	}
}

// Survivor is an operating system process that outlived a kill.
type Survivor struct {
	PID     int    `json:"pid"`
	Command string `json:"command"`
}

// Severity ranks a finding.
type Severity string

// The severities.
const (
	Info           Severity = "info"
	Recommendation Severity = "recommendation"
	Warning        Severity = "warning"
	ErrorSeverity  Severity = "error"
)

// ActionKind says what following a finding's advice means.
type ActionKind string

// The kinds of action.
const (
	ActionCommand     ActionKind = "command"     // Value is a command line to run
	ActionLink        ActionKind = "link"        // Value is a URL
	ActionInstruction ActionKind = "instruction" // Value is a sentence for a person
)

// Action is what a person can do about a finding.
type Action struct {
	Kind  ActionKind `json:"kind"`
	Label string     `json:"label,omitempty"`
	Value string     `json:"value"`
}

// Finding is something an interpreter noticed that outlives the line it was in.
type Finding struct {
	Severity Severity  `json:"severity"`
	Code     string    `json:"code"`
	Message  string    `json:"message"`
	Action   *Action   `json:"action"`
	Related  *string   `json:"related"`
	At       time.Time `json:"at"`
}

// ProgressKind says what is known about how far a run is.
type ProgressKind string

// The kinds of progress.
const (
	ProgressUnknown       ProgressKind = "unknown"
	ProgressIndeterminate ProgressKind = "indeterminate"
	ProgressDeterminate   ProgressKind = "determinate"
)

// ProgressUnit says what a determinate progress counts.
type ProgressUnit string

// The units of progress.
const (
	UnitFraction ProgressUnit = "fraction"
	UnitCount    ProgressUnit = "count"
	UnitBytes    ProgressUnit = "bytes"
)

// Progress is how far a run is. The zero value is unknown.
type Progress struct {
	Kind  ProgressKind
	Hint  string       // indeterminate
	Unit  ProgressUnit // determinate
	Value float64      // fraction, 0 to 1
	Done  int64        // count, bytes
	Total int64        // count, bytes; 0: not known
}

// Fraction makes a determinate progress of a share, clamped to 0..1.
func Fraction(v float64) Progress {
	return Progress{Kind: ProgressDeterminate, Unit: UnitFraction, Value: v}.Clamp()
}

// Clamp brings a progress into its range: shares into 0..1 (not a number is
// 0), counts to no less than 0 and no more than their total.
func (p Progress) Clamp() Progress {
	if p.Kind != ProgressDeterminate {
		return p
	}
	if p.Unit == UnitFraction {
		if p.Value != p.Value { // NaN
			p.Value = 0
		}
		p.Value = min(max(p.Value, 0), 1)
		return p
	}
	p.Total = max(p.Total, 0)
	p.Done = max(p.Done, 0)
	if p.Total > 0 {
		p.Done = min(p.Done, p.Total)
	}
	return p
}

// Share returns the progress as 0..1, and whether that is known.
func (p Progress) Share() (float64, bool) {
	switch {
	case p.Kind != ProgressDeterminate:
		return 0, false
	case p.Unit == UnitFraction:
		return p.Value, true
	case p.Total > 0:
		return float64(p.Done) / float64(p.Total), true
	}
	return 0, false
}

// MarshalJSON writes the fields that belong to the kind and unit.
func (p Progress) MarshalJSON() ([]byte, error) {
	switch p.Kind {
	case ProgressIndeterminate:
		return json.Marshal(struct {
			Kind ProgressKind `json:"kind"`
			Hint string       `json:"hint"`
		}{p.Kind, p.Hint})
	case ProgressDeterminate:
		if p.Unit == UnitFraction {
			return json.Marshal(struct {
				Kind  ProgressKind `json:"kind"`
				Unit  ProgressUnit `json:"unit"`
				Value float64      `json:"value"`
			}{p.Kind, p.Unit, p.Value})
		}
		return json.Marshal(struct {
			Kind  ProgressKind `json:"kind"`
			Unit  ProgressUnit `json:"unit"`
			Done  int64        `json:"done"`
			Total *int64       `json:"total"`
		}{p.Kind, p.Unit, p.Done, nilIfZero(p.Total)})
	default:
		return []byte(`{"kind":"unknown"}`), nil
	}
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (p *Progress) UnmarshalJSON(b []byte) error {
	var w struct {
		Kind  ProgressKind
		Hint  string
		Unit  ProgressUnit
		Value float64
		Done  int64
		Total *int64
	}
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*p = Progress{w.Kind, w.Hint, w.Unit, w.Value, w.Done, orZero(w.Total)}
	if p.Kind == ProgressUnknown {
		*p = Progress{}
	}
	return nil
}

// Phase is one open section of a run's work.
type Phase struct {
	ID    int    `json:"phase"` // unique within the run, from 1
	Name  string `json:"name"`
	Label string `json:"label"`
}

func nilIfZero[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

func orZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
