package process

import (
	"errors"
	"fmt"
)

// Code says what kind of error a caller met. The set is closed; the edges map
// it to an HTTP status or an exit code.
type Code string

// The codes of [Error].
const (
	CodeInvalid           Code = "invalid_request"
	CodeNotFound          Code = "not_found"
	CodeNotIdle           Code = "not_idle"
	CodeAlreadyIdle       Code = "already_idle"
	CodeNotRunning        Code = "not_running"
	CodeNoInput           Code = "no_input"
	CodeHasOutputs        Code = "has_outputs"
	CodeRefConflict       Code = "ref_conflict"
	CodeKeyConflict       Code = "idempotency_conflict"
	CodeNotKept           Code = "not_kept"
	CodeTooMany           Code = "too_many_processes"
	CodeShuttingDown      Code = "shutting_down"
	CodeNoEnvironment     Code = "environment_unavailable"
	CodeDecided           Code = "already_decided"
	CodeBudget            Code = "budget_exceeded"
	CodeOwned             Code = "data_directory_in_use"
	CodeUnsupportedSchema Code = "unsupported_schema"
)

// Sentinels to match with errors.Is: every [Error] of the code matches.
var (
	ErrInvalid           = &Error{Code: CodeInvalid, Message: "invalid request"}
	ErrNotFound          = &Error{Code: CodeNotFound, Message: "no such process"}
	ErrNotIdle           = &Error{Code: CodeNotIdle, Message: "the process is not idle"}
	ErrAlreadyIdle       = &Error{Code: CodeAlreadyIdle, Message: "the process is idle already"}
	ErrNotRunning        = &Error{Code: CodeNotRunning, Message: "the process is not running"}
	ErrNoInput           = &Error{Code: CodeNoInput, Message: "the process takes no input"}
	ErrHasOutputs        = &Error{Code: CodeHasOutputs, Message: "the process has outputs: use force to run it again"}
	ErrRefConflict       = &Error{Code: CodeRefConflict, Message: "another process carries this ref"}
	ErrKeyConflict       = &Error{Code: CodeKeyConflict, Message: "the idempotency key was used for another request"}
	ErrNotKept           = &Error{Code: CodeNotKept, Message: "the output was not kept"}
	ErrTooMany           = &Error{Code: CodeTooMany, Message: "too many active processes"}
	ErrClosed            = &Error{Code: CodeShuttingDown, Message: "the daemon is stopping, or its runtime is closed"}
	ErrNoEnvironment     = &Error{Code: CodeNoEnvironment, Message: "the environment is not available"}
	ErrDecided           = &Error{Code: CodeDecided, Message: "the approval has been decided already"}
	ErrOverBudget        = &Error{Code: CodeBudget, Message: "the budget does not allow it"}
	ErrOwned             = &Error{Code: CodeOwned, Message: "the data directory is in use"}
	ErrUnsupportedSchema = &Error{Code: CodeUnsupportedSchema, Message: "the database was written by a newer version"}
)

// ErrHostExited is the text of a run whose host died and that could not be
// re-attached.
const ErrHostExited = "host process exited"

// ErrUnrecorded is the cause of what fails, is refused or is not acknowledged
// because records cannot be written, or read: the disk is full, the database
// locked or damaged.
var ErrUnrecorded = errors.New("records cannot be written")

// The causes with which a run's context is cancelled.
var (
	ErrCanceled = errors.New("canceled")
	ErrTimeout  = errors.New("timeout")
	ErrBudget   = errors.New(ReasonBudget)
)

// Error is an error a caller can match by code and show to a person.
type Error struct {
	Code    Code
	Field   string // the offending field of a request, if there is one
	Message string // one sentence, for a person
	Hint    string // what to do about it, where a person can act
	Err     error  // the cause, if there is one
}

// Error returns the sentence, the hint and the cause.
func (e *Error) Error() string {
	s := e.Message
	if e.Field != "" {
		s = e.Field + ": " + s
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is makes every Error match the sentinel of its code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// Invalid makes an invalid_request error about a field.
func Invalid(field, format string, args ...any) *Error {
	return &Error{Code: CodeInvalid, Field: field, Message: fmt.Sprintf(format, args...)}
}

// Errorf makes an error of a code with a message of its own.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// SyscallCode is the code of a kernel call's error.
type SyscallCode string

// The codes of [SyscallError].
const (
	CodeInternal        SyscallCode = "INTERNAL"
	CodeSyscallNotFound SyscallCode = "NOT_FOUND"
	CodeSyscallInvalid  SyscallCode = "INVALID"
)

// SyscallError is what a kernel call on a process answers when it fails. It
// wraps what a caller matches and a person reads, mostly an [Error].
type SyscallError struct {
	Syscall string
	PID     ID
	Code    SyscallCode
	Err     error
}

// Error names the call, the process and the reason.
func (e *SyscallError) Error() string {
	return fmt.Sprintf("%s(%d): %s: %v", e.Syscall, e.PID, e.Code, e.Err)
}

// Unwrap returns the reason.
func (e *SyscallError) Unwrap() error { return e.Err }
