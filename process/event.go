package process

import (
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// Kind names what an event tells.
type Kind string

// The kinds of event a runtime of commands and functions emits.
const (
	KindProcessCreated     Kind = "process_created"
	KindProcessQueued      Kind = "process_queued"
	KindProcessStarted     Kind = "process_started"
	KindOutputAppended     Kind = "output_appended"
	KindOutputElided       Kind = "output_elided"
	KindOutputMerged       Kind = "output_merged"
	KindPhaseEntered       Kind = "phase_entered"
	KindPhaseUpdated       Kind = "phase_updated"
	KindPhaseExited        Kind = "phase_exited"
	KindProgressUpdated    Kind = "progress_updated"
	KindLabelUpdated       Kind = "label_updated"
	KindWarningDetected    Kind = "warning_detected"
	KindKnownErrorDetected Kind = "known_error_detected"
	KindFindingEmitted     Kind = "finding_emitted"
	KindPromptDetected     Kind = "prompt_detected"
	KindSummarySet         Kind = "summary_set"
	KindInterpreterError   Kind = "interpreter_error"
	KindSignalDelivered    Kind = "signal_delivered"
	KindPaused             Kind = "paused"
	KindResumed            Kind = "resumed"
	KindStepStarted        Kind = "step_started"
	KindStepFinished       Kind = "step_finished"
	KindStalled            Kind = "stalled"
	KindRecovered          Kind = "recovered"
	KindReattached         Kind = "reattached"
	KindToolCalled         Kind = "tool_called"
	KindToolReturned       Kind = "tool_returned"
	KindApprovalRequested  Kind = "approval_requested"
	KindApprovalDecided    Kind = "approval_decided"
	KindChildSpawned       Kind = "child_spawned"
	KindReparented         Kind = "reparented"
	KindReaped             Kind = "reaped"
	KindExited             Kind = "exited"
	KindCancelled          Kind = "cancelled"
	KindTimedOut           Kind = "timed_out"
	KindFinalized          Kind = "finalized"
	KindLagged             Kind = "lagged"
)

// Event is an immutable fact about a process. Seq numbers a process's events
// from 1 without gaps; Cursor numbers the events of all processes, in the
// order they were committed. A partial line and a lagged notice are live
// only: the first carries the Seq its finished line will have, the second
// carries none.
type Event struct {
	Seq     int64
	Cursor  int64
	Process ID
	Run     int
	At      time.Time
	Kind    Kind
	Data    Payload // never nil; its type belongs to Kind
}

// New makes an event of the kind its payload belongs to; the kernel numbers it.
func New(p Payload) Event { return Event{Kind: p.kind(), Data: p} }

// Live reports whether the event is for live subscribers only and never stored.
func (e Event) Live() bool {
	switch d := e.Data.(type) {
	case Lagged:
		return true
	case OutputAppended:
		return d.Partial
	}
	return false
}

// Payload is what an event of one kind carries.
type Payload interface{ kind() Kind }

// Stream names one of a run's two outputs.
type Stream string

// The streams.
const (
	Stdout Stream = "stdout"
	Stderr Stream = "stderr"
)

// What a signal led to, as [SignalDelivered] has it.
const (
	ActionPending   = "pending"   // it is blocked: it waits to be unblocked; further ones of its kind add nothing
	ActionHandler   = "handler"   // the run's own handler is called
	ActionDeliver   = "deliver"   // it was passed to the program, with whom the verdict is
	ActionTerminate = "terminate" // the run is asked to end, and killed after the grace
	ActionKill      = "kill"      // the run is ended by force
)

// The payloads, one for each kind.
type (
	// ProcessCreated is the first event of every process.
	ProcessCreated struct {
		Environment string   `json:"environment"`
		Label       *string  `json:"label"`
		Tags        []string `json:"tags"`
		Parent      *ID      `json:"parent"`
	}
	// ProcessQueued opens a run.
	ProcessQueued struct{}
	// ProcessStarted says that the run executes. PID is the operating
	// system's, where there is one.
	ProcessStarted struct {
		PID int `json:"pid,omitempty"`
	}
	// OutputAppended is one line, without its terminator. Offset is where it
	// begins in the stream.
	OutputAppended struct {
		Stream  Stream `json:"stream"`
		Line    string `json:"line"`
		Offset  int64  `json:"offset"`
		Partial bool   `json:"partial"`
	}
	// OutputElided stands for lines that are no longer, or never were, kept.
	// Stream is empty where it is no longer known.
	OutputElided struct {
		Stream  Stream `json:"stream,omitempty"`
		FromSeq int64  `json:"fromSeq"`
		ToSeq   int64  `json:"toSeq"`
		Bytes   int64  `json:"bytes"`
	}
	// OutputMerged is structured output, merged into what there was.
	OutputMerged struct {
		Output map[string]any `json:"output"`
	}
	// PhaseEntered pushes a phase.
	PhaseEntered Phase
	// PhaseUpdated relabels the open phase.
	PhaseUpdated Phase
	// PhaseExited pops a phase.
	PhaseExited Phase
	// ProgressUpdated says how far the run is.
	ProgressUpdated struct {
		Progress Progress `json:"progress"`
	}
	// LabelUpdated says what the run is doing, in a few words.
	LabelUpdated struct {
		Label string `json:"label"`
	}
	// WarningDetected is a warning in the output.
	WarningDetected struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	// KnownErrorDetected is an error the interpreter recognised.
	KnownErrorDetected struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	// FindingEmitted carries a finding.
	FindingEmitted struct {
		Finding Finding `json:"finding"`
	}
	// PromptDetected says that the program waits for an answer.
	PromptDetected struct {
		Prompt string `json:"prompt"`
	}
	// SummarySet is the run in one sentence; the last one counts.
	SummarySet struct {
		Summary string `json:"summary"`
	}
	// InterpreterError says what an interpreter did wrong.
	InterpreterError struct {
		Error    string `json:"error"`
		Disabled bool   `json:"disabled"` // it is not called again in this run
	}
	// SignalDelivered says what a signal led to: one of the actions below.
	// SIGPAUSE and SIGRESUME that are neither blocked nor handled are told by
	// Paused and Resumed instead.
	SignalDelivered struct {
		Signal string `json:"signal"`
		Action string `json:"action"`
	}
	// Paused says that the run stands still, and with it its clock.
	Paused struct{}
	// Resumed says that the run goes on. A kill ends a pause without it.
	Resumed struct{}
	// StepStarted says that an agent begins a step: a model call and the tool
	// calls it leads to.
	StepStarted struct {
		Step int `json:"step"`
	}
	// StepFinished says what a step took. CostUSD is nil where the model's
	// prices are not known. Retries is how often the model was asked again.
	StepFinished struct {
		Step         int      `json:"step"`
		Model        string   `json:"model"`
		InputTokens  int64    `json:"inputTokens"`
		CachedTokens int64    `json:"cachedTokens"`
		OutputTokens int64    `json:"outputTokens"`
		CostUSD      *float64 `json:"costUsd"`
		Calls        int      `json:"calls"`
		Retries      int      `json:"retries"`
		DurationMS   int64    `json:"durationMs"`
		Error        string   `json:"error,omitempty"`
	}
	// Stalled says that nothing was heard of a run for longer than its
	// heartbeat. Nothing is done about it.
	Stalled struct {
		SilentMS int64 `json:"silentMs"`
	}
	// Recovered says that a stalled run was heard of again.
	Recovered struct {
		SilentMS int64 `json:"silentMs"`
	}
	// Reattached says that a run outlived its host and goes on under this one.
	Reattached struct {
		PID int `json:"pid,omitempty"`
	}
	// ToolCalled says that the run called a tool. Call numbers a run's calls
	// from 1. Parameters and results are the program's own affair: they may
	// hold secrets and are not in events.
	ToolCalled struct {
		Call    int64  `json:"call"`
		Service string `json:"service"`
		Tool    string `json:"tool"`
	}
	// ToolReturned says how a call ended; Error is empty when it succeeded.
	ToolReturned struct {
		Call       int64  `json:"call"`
		Service    string `json:"service"`
		Tool       string `json:"tool"`
		OK         bool   `json:"ok"`
		Code       string `json:"code,omitempty"`
		Error      string `json:"error,omitempty"`
		DurationMS int64  `json:"durationMs"`
	}
	// ApprovalRequested says that a call waits for a person, and the run's
	// clock with it.
	ApprovalRequested struct {
		Approval  ApprovalID `json:"approval"`
		Call      int64      `json:"call"`
		Service   string     `json:"service"`
		Tool      string     `json:"tool"`
		ExpiresAt time.Time  `json:"expiresAt"`
	}
	// ApprovalDecided says how that ended.
	ApprovalDecided struct {
		Approval ApprovalID    `json:"approval"`
		Call     int64         `json:"call"`
		State    ApprovalState `json:"state"`
		By       string        `json:"by,omitempty"`
		Reason   string        `json:"reason,omitempty"`
	}
	// ChildSpawned names a child that is run, in its parent's log. Restart
	// counts how often its supervisor has run it again, Because is the child
	// whose end led to that; both are left out of a first start.
	ChildSpawned struct {
		Child   ID  `json:"child"`
		Run     int `json:"childRun"` // the event's own run is the parent's
		Restart int `json:"restart,omitempty"`
		Because ID  `json:"because,omitempty"`
	}
	// Reparented says that a process's parent ended before it.
	Reparented struct {
		From ID `json:"from"`
		To   ID `json:"to"`
	}
	// Reaped lists the steps of releasing the run, in their order.
	Reaped struct {
		Steps []string `json:"steps"`
	}
	// Exited is what the operating system reported of the run's leader.
	Exited struct {
		Code   int     `json:"code"`
		Signal *string `json:"signal"`
	}
	// Cancelled says that a cancel was asked for.
	Cancelled struct {
		Now  bool `json:"now"`            // without grace
		Tree bool `json:"tree,omitempty"` // with all processes below it
		// Processes is how many of the operating system's lived in the run's
		// tree at that time, where that is known.
		Processes int `json:"processes,omitempty"`
	}
	// TimedOut says that the run's clock ran out.
	TimedOut struct {
		TimeoutMS int64 `json:"timeoutMs"`
	}
	// Finalized is the last event of a run.
	Finalized struct {
		Outcome Outcome `json:"outcome"`
	}
	// Lagged tells a slow subscriber how many events it missed.
	Lagged struct {
		Missed int64 `json:"missed"`
	}
)

func (ProcessCreated) kind() Kind     { return KindProcessCreated }
func (ProcessQueued) kind() Kind      { return KindProcessQueued }
func (ProcessStarted) kind() Kind     { return KindProcessStarted }
func (OutputAppended) kind() Kind     { return KindOutputAppended }
func (OutputElided) kind() Kind       { return KindOutputElided }
func (OutputMerged) kind() Kind       { return KindOutputMerged }
func (PhaseEntered) kind() Kind       { return KindPhaseEntered }
func (PhaseUpdated) kind() Kind       { return KindPhaseUpdated }
func (PhaseExited) kind() Kind        { return KindPhaseExited }
func (ProgressUpdated) kind() Kind    { return KindProgressUpdated }
func (LabelUpdated) kind() Kind       { return KindLabelUpdated }
func (WarningDetected) kind() Kind    { return KindWarningDetected }
func (KnownErrorDetected) kind() Kind { return KindKnownErrorDetected }
func (FindingEmitted) kind() Kind     { return KindFindingEmitted }
func (PromptDetected) kind() Kind     { return KindPromptDetected }
func (SummarySet) kind() Kind         { return KindSummarySet }
func (InterpreterError) kind() Kind   { return KindInterpreterError }
func (SignalDelivered) kind() Kind    { return KindSignalDelivered }
func (Paused) kind() Kind             { return KindPaused }
func (Resumed) kind() Kind            { return KindResumed }
func (StepStarted) kind() Kind        { return KindStepStarted }
func (StepFinished) kind() Kind       { return KindStepFinished }
func (Stalled) kind() Kind            { return KindStalled }
func (Recovered) kind() Kind          { return KindRecovered }
func (Reattached) kind() Kind         { return KindReattached }
func (ToolCalled) kind() Kind         { return KindToolCalled }
func (ToolReturned) kind() Kind       { return KindToolReturned }
func (ApprovalRequested) kind() Kind  { return KindApprovalRequested }
func (ApprovalDecided) kind() Kind    { return KindApprovalDecided }
func (ChildSpawned) kind() Kind       { return KindChildSpawned }
func (Reparented) kind() Kind         { return KindReparented }
func (Reaped) kind() Kind             { return KindReaped }
func (Exited) kind() Kind             { return KindExited }
func (Cancelled) kind() Kind          { return KindCancelled }
func (TimedOut) kind() Kind           { return KindTimedOut }
func (Finalized) kind() Kind          { return KindFinalized }
func (Lagged) kind() Kind             { return KindLagged }

// Kinds lists every kind there is an event of.
func Kinds() []Kind { return slices.Sorted(maps.Keys(decoders)) }

// decoders read the payload of each kind.
var decoders = map[Kind]func([]byte) (Payload, error){
	KindProcessCreated:     decode[ProcessCreated],
	KindProcessQueued:      decode[ProcessQueued],
	KindProcessStarted:     decode[ProcessStarted],
	KindOutputAppended:     decode[OutputAppended],
	KindOutputElided:       decode[OutputElided],
	KindOutputMerged:       decode[OutputMerged],
	KindPhaseEntered:       decode[PhaseEntered],
	KindPhaseUpdated:       decode[PhaseUpdated],
	KindPhaseExited:        decode[PhaseExited],
	KindProgressUpdated:    decode[ProgressUpdated],
	KindLabelUpdated:       decode[LabelUpdated],
	KindWarningDetected:    decode[WarningDetected],
	KindKnownErrorDetected: decode[KnownErrorDetected],
	KindFindingEmitted:     decode[FindingEmitted],
	KindPromptDetected:     decode[PromptDetected],
	KindSummarySet:         decode[SummarySet],
	KindInterpreterError:   decode[InterpreterError],
	KindSignalDelivered:    decode[SignalDelivered],
	KindPaused:             decode[Paused],
	KindResumed:            decode[Resumed],
	KindStepStarted:        decode[StepStarted],
	KindStepFinished:       decode[StepFinished],
	KindStalled:            decode[Stalled],
	KindRecovered:          decode[Recovered],
	KindReattached:         decode[Reattached],
	KindToolCalled:         decode[ToolCalled],
	KindToolReturned:       decode[ToolReturned],
	KindApprovalRequested:  decode[ApprovalRequested],
	KindApprovalDecided:    decode[ApprovalDecided],
	KindChildSpawned:       decode[ChildSpawned],
	KindReparented:         decode[Reparented],
	KindReaped:             decode[Reaped],
	KindExited:             decode[Exited],
	KindCancelled:          decode[Cancelled],
	KindTimedOut:           decode[TimedOut],
	KindFinalized:          decode[Finalized],
	KindLagged:             decode[Lagged],
}

func decode[T Payload](b []byte) (Payload, error) {
	var v T
	err := json.Unmarshal(b, &v)
	return v, err
}
