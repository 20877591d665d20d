package model

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Error is why a call has no answer.
type Error struct {
	Message string // a sentence for people
	Status  int    // of the provider's answer; 0: there was none
	Retry   bool   // it may be different next time
	After   time.Duration
	TooLong bool  // the conversation does not fit the model
	Used    Usage // what the call is known to have taken
	Err     error // the cause, if there is one
}

// Error returns the sentence.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Fault is what a provider's package knows of a call that failed.
type Fault struct {
	Host     string         // of the endpoint
	Response *http.Response // nil: none came
	Kind     string         // the provider's word for the error
	Said     string         // its sentence
	Broken   bool           // the stream began, and did not end as it should
	Used     Usage
	Err      error // of the SDK
	Secrets  []string
}

// Fail makes an error of a fault.
func Fail(ctx context.Context, f Fault) error {
	if over := context.Cause(ctx); over != nil {
		return &Error{Message: over.Error(), Used: f.Used, Err: over}
	}
	e := &Error{Used: f.Used}
	said := clip(hide(strings.TrimSpace(f.Said), f.Secrets))
	switch {
	case f.Response == nil:
		var bad *tls.CertificateVerificationError
		e.Retry = !errors.As(f.Err, &bad) && !errors.Is(f.Err, errAddress)
		e.Message = fmt.Sprintf("the model at %s cannot be reached: %s", f.Host, clip(hide(cause(f.Err), f.Secrets)))
	case f.Broken:
		e.Retry = !refusedKinds[f.Kind]
		e.Message = fmt.Sprintf("the answer of the model at %s broke off: %s", f.Host, or(said, clip(hide(cause(f.Err), f.Secrets))))
	default:
		e.Status = f.Response.StatusCode
		e.Retry, e.After = worthRetrying(f.Response, f.Kind), retryAfter(f.Response.Header, time.Now())
		e.Message = fmt.Sprintf("the model at %s answered %d %s: %s", f.Host, e.Status, http.StatusText(e.Status), or(said, "it gave no reason"))
	}
	if e.TooLong = isTooLong(e.Status, f.Kind, f.Said); e.TooLong {
		e.Retry = false
	}
	// The cause is not kept: SDKs have requests in theirs, keys and all.
	if errors.Is(f.Err, ErrSilent) {
		e.Err = ErrSilent
	}
	return e
}

// refusedKinds are errors that do not go away by themselves.
var refusedKinds = map[string]bool{
	"invalid_request_error": true, "authentication_error": true, "permission_error": true,
	"not_found_error": true, "request_too_large": true, "insufficient_quota": true, "billing_error": true,
}

func worthRetrying(r *http.Response, kind string) bool {
	switch r.Header.Get("X-Should-Retry") {
	case "true":
		return true
	case "false":
		return false
	}
	switch s := r.StatusCode; s {
	case http.StatusTooManyRequests:
		return kind != "insufficient_quota" && kind != "billing_error"
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly:
		return true
	default:
		return s >= 500 && s != http.StatusNotImplemented
	}
}

// farOff is as long as never, and can be added to.
const farOff = time.Duration(math.MaxInt64 / 2)

// retryAfter reads how long a server wants to be left alone; 0: it does not say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	for _, f := range []struct {
		name string
		unit time.Duration
	}{{"Retry-After-Ms", time.Millisecond}, {"Retry-After", time.Second}} {
		v := strings.TrimSpace(h.Get(f.name))
		n, err := strconv.ParseFloat(v, 64)
		if err == nil && n >= 0 {
			return time.Duration(min(n*float64(f.unit), float64(farOff)))
		}
		if at, err := http.ParseTime(v); err == nil {
			return min(max(0, at.Sub(now)), farOff)
		}
	}
	return 0
}

// isTooLong knows the ways in which servers say that the window is full.
func isTooLong(status int, kind, said string) bool {
	if kind == "context_length_exceeded" || kind == "exceed_context_size_error" {
		return true
	}
	if status != 0 && status != http.StatusBadRequest && status != http.StatusRequestEntityTooLarge {
		return false
	}
	said = strings.ToLower(said)
	for _, words := range []string{"maximum context length", "context window", "prompt is too long", "context length", "available context size", "context limit", "too many tokens"} {
		if strings.Contains(said, words) {
			return true
		}
	}
	return status == http.StatusRequestEntityTooLarge
}

// cause is an error's text without the address it is about, which may hold
// credentials.
func cause(err error) string {
	if e := (*url.Error)(nil); errors.As(err, &e) {
		err = e.Err
	}
	if err == nil {
		return "it ended too early"
	}
	return err.Error()
}

// hide takes secrets out of a text that somebody else wrote.
func hide(text string, secrets []string) string {
	for _, s := range secrets {
		if s != "" {
			text = strings.ReplaceAll(text, s, "•••")
		}
	}
	return text
}

const maxMessage = 2 << 10

func clip(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= maxMessage {
		return s
	}
	cut := maxMessage
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func trimSpace(b []byte) []byte { return bytes.TrimSpace(b) }
