package server

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// request is one request at its route.
type request struct {
	s     *Server
	w     *patient
	r     *http.Request
	route *route
	free  func() // gives up the slot; may be called again
}

// serve makes the handler of a route.
func (s *Server) serve(rt *route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q := s.request(w, r)
		q.route = rt
		if err := q.enter(); err != nil {
			q.fail(err)
			return
		}
		defer func() { q.free() }()
		if err := rt.handle(q); err != nil {
			q.fail(err)
		}
		q.w.grant() // for what net/http has kept back
	}
}

func (s *Server) request(w http.ResponseWriter, r *http.Request) *request {
	return &request{s: s, w: &patient{w, answeredWithin}, r: r, free: func() {}}
}

// enter takes a slot and checks the scope and the query.
func (q *request) enter() error {
	q.s.served.Add(1)
	if err := q.authorize(); err != nil {
		return err
	}
	if err := q.route.checkQuery(q.r.URL); err != nil {
		return err
	}
	if err := q.skipBody(); err != nil {
		return err
	}
	if q.route.unlimited {
		return nil
	}
	return q.take(q.s.slots, "requests are being worked on")
}

// maxSkipped is how much of a body nobody asked for is read.
const maxSkipped = 64 << 10

// skipBody reads a body that the route has no use for. net/http would do so
// later, while the request holds a slot, or would not see its client go.
func (q *request) skipBody() error {
	if q.route.body != nil || q.route.bytes || q.r.Body == nil || q.r.Body == http.NoBody {
		return nil
	}
	n, err := io.Copy(io.Discard, io.LimitReader(q.r.Body, maxSkipped+1))
	if err != nil || n > maxSkipped {
		q.w.Header().Set("Connection", "close")
		return process.Invalid("body", "is not wanted here, and could not be skipped")
	}
	return nil
}

func (q *request) take(slots chan struct{}, what string) error {
	select {
	case slots <- struct{}{}:
	default:
		return process.Errorf(api.CodeTooManyRequests, "%d %s: that is the limit; try again in a moment", cap(slots), what)
	}
	held := true
	q.free = func() {
		if held {
			held = false
			<-slots
		}
	}
	return nil
}

// wait gives up the slot for as long as the request waits for events: what it
// returns ends with the client, or with what the server ends such requests by.
func (q *request) wait(until context.Context) (context.Context, context.CancelFunc, error) {
	q.free()
	if err := q.take(q.s.waiters, "requests wait"); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancelCause(q.r.Context())
	unhook := context.AfterFunc(until, func() { cancel(errStopping) })
	return ctx, func() { unhook(); cancel(nil) }, nil
}

// answer writes a value as JSON.
func (q *request) answer(status int, v any) error {
	q.w.Header().Set("Content-Type", "application/json; charset=utf-8")
	q.w.WriteHeader(status)
	writeJSON(q.w, v)
	return nil
}

// id is the process that the path names.
func (q *request) id() (process.ID, error) {
	id, err := process.ParseID(q.r.PathValue("id"))
	if err != nil && q.route.mci {
		return 0, process.Invalid("pid", "%q is not a process id: want a whole number from 1", q.r.PathValue("id"))
	}
	return id, err
}

// run is the run that the path names, 0 (the newest) where it names none.
func (q *request) run() (int, error) {
	text := q.r.PathValue("run")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || strconv.Itoa(n) != text {
		return 0, process.Invalid("run", "%q is not the number of a run: want a whole number from 1", text)
	}
	return n, nil
}

// query is a parameter, checked to be not blank if it is given.
func (q *request) query(name string) string {
	return strings.TrimSpace(q.r.URL.Query().Get(name))
}

// flag is a parameter that is on or off.
func (q *request) flag(name string) bool {
	switch q.query(name) {
	case "1", "true":
		return true
	}
	return false
}

// millis is a parameter that is a number of milliseconds.
func (q *request) millis(name string) (time.Duration, bool) {
	n, err := strconv.ParseInt(q.query(name), 10, 64)
	return time.Duration(min(n, maxMillis)) * time.Millisecond, err == nil
}

func noRoute(r *http.Request) error {
	return process.Errorf(process.CodeNotFound, "there is nothing at %s: see /docs", r.URL.Path)
}

func methodNotAllowed(r *http.Request, allow string) error {
	return process.Errorf(api.CodeMethodNotAllowed, "%s is not possible at %s: use %s", r.Method, r.URL.Path, allow)
}
