package remote

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os/exec"
	"syscall"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/process"
)

// failure is an error on its way: what a caller may match arrives as itself.
type failure struct {
	Kind  string        `json:"kind,omitempty"` // one of sentinels' or "spawn", "errno", "process"; else only a text
	Text  string        `json:"text,omitempty"`
	Op    string        `json:"op,omitempty"`
	Path  string        `json:"path,omitempty"`
	Hint  string        `json:"hint,omitempty"`
	Errno syscall.Errno `json:"errno,omitempty"`
	Code  process.Code  `json:"code,omitempty"`
	Field string        `json:"field,omitempty"`
	Cause *failure      `json:"cause,omitempty"`
}

// sentinels are the errors that are matched by identity.
func sentinels() map[string]error {
	return map[string]error{
		"lost": keeper.ErrLost, "no freeze": keeper.ErrNoFreeze, "no input": keeper.ErrNoInput,
		"not found": exec.ErrNotFound, "unsupported": errors.ErrUnsupported,
		"canceled": context.Canceled, "deadline": context.DeadlineExceeded,
		"taken over": ErrTakenOver, "version": ErrVersion, "ending": errEnding,
		"permission": fs.ErrPermission,
	}
}

func newFailure(err error) *failure {
	if e, ok := err.(*keeper.SpawnError); ok {
		return &failure{Kind: "spawn", Op: e.Op, Path: e.Path, Hint: e.Hint, Cause: newFailure(e.Err)}
	}
	if e, ok := err.(*process.Error); ok {
		f := &failure{Kind: "process", Code: e.Code, Field: e.Field, Text: e.Message, Hint: e.Hint}
		if e.Err != nil {
			f.Cause = newFailure(e.Err)
		}
		return f
	}
	if e, ok := err.(syscall.Errno); ok {
		return &failure{Kind: "errno", Errno: e}
	}
	f := &failure{Text: err.Error()}
	for kind, s := range sentinels() {
		if errors.Is(err, s) {
			f.Kind = kind
		}
	}
	if cause := errors.Unwrap(err); cause != nil && f.Kind == "" {
		f.Cause = newFailure(cause)
	}
	return f
}

func (f *failure) error() error {
	switch f.Kind {
	case "spawn":
		return &keeper.SpawnError{Op: f.Op, Path: f.Path, Hint: f.Hint, Err: f.cause()}
	case "process":
		e := &process.Error{Code: f.Code, Field: f.Field, Message: f.Text, Hint: f.Hint}
		if f.Cause != nil {
			e.Err = f.cause()
		}
		return e
	case "errno":
		return f.Errno
	case "":
		return &told{f.Text, f.cause()}
	}
	s := sentinels()[f.Kind]
	if s == nil || s.Error() == f.Text {
		return s
	}
	return &told{f.Text, s}
}

func (f *failure) cause() error {
	if f.Cause == nil {
		return nil
	}
	return f.Cause.error()
}

// told is an error with the keeper's words and a cause that can be matched.
type told struct {
	text  string
	cause error
}

func (t *told) Error() string { return t.text }
func (t *told) Unwrap() error { return t.cause }

func encodeError(err error) []byte { return encode(newFailure(err)) }

func decodeError(b []byte) error {
	var f failure
	if err := json.Unmarshal(b, &f); err != nil {
		return err
	}
	if err := f.error(); err != nil {
		return err
	}
	return errors.New("the keeper refused, and its reason is unknown here")
}
