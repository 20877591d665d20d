package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"syscall"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// statusOf maps the codes of errors to HTTP.
func statusOf(code process.Code) int {
	switch code {
	case process.CodeInvalid:
		return http.StatusBadRequest
	case api.CodeUnauthorized:
		return http.StatusUnauthorized
	case api.CodeForbidden:
		return http.StatusForbidden
	case process.CodeNotFound:
		return http.StatusNotFound
	case api.CodeMethodNotAllowed:
		return http.StatusMethodNotAllowed
	case process.CodeNotIdle, process.CodeAlreadyIdle, process.CodeNotRunning, process.CodeNoInput, process.CodeHasOutputs,
		process.CodeRefConflict, process.CodeKeyConflict, process.CodeDecided, process.CodeBudget:
		return http.StatusConflict
	case process.CodeNotKept:
		return http.StatusGone
	case api.CodeTooLarge:
		return http.StatusRequestEntityTooLarge
	case api.CodeBadRange:
		return http.StatusRequestedRangeNotSatisfiable
	case process.CodeTooMany, api.CodeTooManyRequests:
		return http.StatusTooManyRequests
	case process.CodeShuttingDown, process.CodeNoEnvironment:
		return http.StatusServiceUnavailable
	case api.CodeWaitExceeded:
		return http.StatusGatewayTimeout
	}
	return http.StatusInternalServerError
}

// fail answers with an error. What has no code is the server's own fault: it is
// logged, and the client is told no more than that.
func (q *request) fail(err error) {
	var e *process.Error
	switch {
	case errors.As(err, &e) && statusOf(e.Code) != http.StatusInternalServerError:
	case errors.Is(err, context.Canceled), errors.Is(err, errStopping):
		e = process.ErrClosed
	case errors.Is(err, process.ErrUnrecorded):
		e = &process.Error{Code: process.CodeNoEnvironment, Message: "the database does not do its work", Err: err}
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		e = &process.Error{Code: process.CodeNoEnvironment, Message: "the daemon has no file descriptors left",
			Hint: "end what uses them, or raise its limit of open files"}
	default:
		q.s.log.Error("request failed", "method", q.r.Method, "path", q.r.URL.Path, "error", err)
		e = process.Errorf(api.CodeInternal, "the server met an error of its own: see its log")
	}
	status := statusOf(e.Code)
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		q.w.Header().Set("Retry-After", "1")
	}
	writeError(q.w, status, api.Error{Message: e.Error(), Code: e.Code})
}

func writeError(w http.ResponseWriter, status int, e api.Error) {
	h := w.Header()
	h.Del("Content-Length")
	h.Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	writeJSON(w, e)
}

// writeJSON writes a value and a newline. A client that has gone is no error.
func writeJSON(w http.ResponseWriter, v any) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
}
