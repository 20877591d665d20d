package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// UnreachableError says that nothing answers at the daemon's address.
type UnreachableError struct {
	Host string
	Err  error
}

// Error says what to do about it.
func (e *UnreachableError) Error() string {
	return fmt.Sprintf("no daemon answers at %s (start one with 'reeve serve', or name another with --host): %v", e.Host, e.Err)
}

// Unwrap returns the network's error.
func (e *UnreachableError) Unwrap() error { return e.Err }

// StatusError is an answer that is not a success. It unwraps to the
// *process.Error of its code.
type StatusError struct {
	Status     int
	RetryAfter time.Duration // 0: the daemon named none
	Location   string        // of the process a wait was about; empty: none
	Err        *process.Error
}

// Error is the daemon's sentence.
func (e *StatusError) Error() string { return e.Err.Error() }

// Unwrap returns the *process.Error.
func (e *StatusError) Unwrap() error { return e.Err }

// statusError reads an answer that is not a success.
func statusError(resp *http.Response) error {
	e := &StatusError{Status: resp.StatusCode, Location: resp.Header.Get("Location")}
	if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && s > 0 {
		e.RetryAfter = time.Duration(s) * time.Second
	}
	var body api.Error
	b, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err == nil {
		err = json.Unmarshal(b, &body)
	}
	if err != nil || body.Code == "" { // not the daemon's own answer
		body.Code = api.CodeInternal
		body.Message = strings.TrimSpace(fmt.Sprintf("the server answered %s: %.200q", resp.Status, b))
	}
	e.Err = &process.Error{Code: body.Code, Message: body.Message}
	return e
}

// transportError tells a daemon that is not there from other troubles.
func (c *Client) transportError(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return &UnreachableError{c.host, op.Err}
	}
	return err
}

// temporary reports whether the same request may succeed later: the network's
// troubles, and answers of a daemon that is about to stop or overloaded.
func temporary(err error) bool {
	var status *StatusError
	if errors.As(err, &status) {
		return status.Status == http.StatusTooManyRequests || status.Status >= 500 && status.Status != http.StatusGatewayTimeout
	}
	return true
}
