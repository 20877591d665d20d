package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/reeverun/reeve/process"
)

// toolError makes the error of a call one for its program.
func (s *service) toolError(ctx context.Context, tool string, err error) error {
	var said *process.ToolError
	switch {
	case ctx.Err() != nil: // the caller's own
		return context.Cause(ctx)
	case errors.Is(err, errCallTooLong):
		return Errorf(process.ToolTimeout, "%s/%s did not answer within %s", s.name, tool, s.timeout.Round(time.Millisecond))
	case errors.As(err, &said):
		return &process.ToolError{Code: said.Code, Message: Clip(said.Message, maxErrorText)}
	case errors.Is(err, ErrNotSent):
		return unavailable(s.name, err.Error())
	}
	return Errorf(process.ToolFailed, "%s/%s: %s", s.name, tool, err)
}

// checkResult holds a result to what a program is promised: one JSON value in
// UTF-8, within bounds. Nothing at all is null.
func checkResult(c process.ToolCall, result json.RawMessage, most int) (json.RawMessage, error) {
	switch {
	case len(result) == 0:
		return json.RawMessage("null"), nil
	case len(result) > most:
		return nil, Errorf(process.ToolFailed, "the result of %s/%s has %d bytes: %d are allowed", c.Service, c.Tool, len(result), most)
	case !json.Valid(result):
		return nil, Errorf(process.ToolFailed, "the result of %s/%s is not JSON", c.Service, c.Tool)
	case !utf8.Valid(result):
		return bytes.ToValidUTF8(result, []byte("\uFFFD")), nil
	}
	return result, nil
}
