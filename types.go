package reeve

import (
	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/function"
	"github.com/reeverun/reeve/interpret"
	"github.com/reeverun/reeve/kernel"
	"github.com/reeverun/reeve/notify"
	"github.com/reeverun/reeve/process"
)

// The domain's values, under the names an embedder meets first.
type (
	ID           = process.ID
	Process      = process.Process
	Run          = process.Run
	Event        = process.Event
	Outcome      = process.Outcome
	Finding      = process.Finding
	Query        = process.Query
	Page         = process.Page
	Stream       = process.Stream
	RawOutput    = process.RawOutput
	Leftovers    = process.Leftovers
	Window       = process.Window
	FindingQuery = process.FindingQuery
	EventQuery   = process.EventQuery
	EventPage    = process.EventPage
	KindFilter   = process.KindFilter

	Interpreter  = interpret.Interpreter
	Environment  = env.Environment
	FuncCall     = function.Call
	Retention    = kernel.Retention
	Pruned       = kernel.Pruned
	KillOptions  = kernel.KillOptions
	RunOptions   = kernel.RunOptions
	Message      = process.Message
	Filter       = kernel.Filter
	Subscription = kernel.Subscription
	Moment       = kernel.Moment
	Output       = kernel.Output

	Approval      = process.Approval
	ApprovalID    = process.ApprovalID
	ApprovalQuery = process.ApprovalQuery
	ApprovalState = process.ApprovalState
	Permission    = process.Permission
	ToolCall      = process.ToolCall
	ToolError     = process.ToolError
	Tools         = kernel.Tools
	Limits        = process.Limits
	Sandbox       = process.Sandbox
	Enforced      = process.Enforced
	Budget        = process.Budget

	Notification      = process.Notification
	NotificationState = process.NotificationState
	NotifyStats       = notify.Stats

	Signal        = process.Signal
	SignalOptions = kernel.SignalOptions

	Trace        = kernel.Trace
	Syscall      = process.Syscall
	SyscallError = process.SyscallError
	SyscallCode  = process.SyscallCode
)

// Raw output policies, streams and leftovers.
const (
	Persist               = process.Persist
	PersistGzipOnFinalize = process.PersistGzipOnFinalize
	MemoryOnly            = process.MemoryOnly
	Disabled              = process.Disabled

	Stdout = process.Stdout
	Stderr = process.Stderr

	KillLeftovers = process.KillLeftovers
	WaitLeftovers = process.WaitLeftovers

	Created  = kernel.Created
	Started  = kernel.Started
	Finished = kernel.Finished
	Stalled  = kernel.Stalled

	Trusted   = process.Trusted
	Confined  = process.Confined
	Sandboxed = process.Sandboxed

	BudgetStop = process.BudgetStop
	BudgetAsk  = process.BudgetAsk
)

// What a policy says about a tool call.
const (
	Allow = process.Allow
	Deny  = process.Deny
	Ask   = process.Ask
)

// How far an approval is.
const (
	ApprovalPending  = process.ApprovalPending
	ApprovalApproved = process.ApprovalApproved
	ApprovalDenied   = process.ApprovalDenied
	ApprovalExpired  = process.ApprovalExpired
	ApprovalCanceled = process.ApprovalCanceled
)

// How far a notification is.
const (
	NotificationPending   = process.NotificationPending
	NotificationDelivered = process.NotificationDelivered
	NotificationFailed    = process.NotificationFailed
)

// The signals.
const (
	SIGTERM   = process.SIGTERM
	SIGKILL   = process.SIGKILL
	SIGINT    = process.SIGINT
	SIGPAUSE  = process.SIGPAUSE
	SIGRESUME = process.SIGRESUME
)

// What a SyscallError says.
const (
	CodeInternal = process.CodeInternal
	CodeNotFound = process.CodeSyscallNotFound
	CodeInvalid  = process.CodeSyscallInvalid
)

// Errors to match with errors.Is.
var (
	ErrInvalid           = process.ErrInvalid
	ErrNotFound          = process.ErrNotFound
	ErrNotIdle           = process.ErrNotIdle
	ErrAlreadyIdle       = process.ErrAlreadyIdle
	ErrNotRunning        = process.ErrNotRunning
	ErrNoInput           = process.ErrNoInput
	ErrHasOutputs        = process.ErrHasOutputs
	ErrRefConflict       = process.ErrRefConflict
	ErrNothingYet        = kernel.ErrNothingYet
	ErrKeyConflict       = process.ErrKeyConflict
	ErrNotKept           = process.ErrNotKept
	ErrTooMany           = process.ErrTooMany
	ErrClosed            = process.ErrClosed
	ErrNoEnvironment     = process.ErrNoEnvironment
	ErrDecided           = process.ErrDecided
	ErrOverBudget        = process.ErrOverBudget
	ErrOwned             = process.ErrOwned
	ErrUnsupportedSchema = process.ErrUnsupportedSchema
)
