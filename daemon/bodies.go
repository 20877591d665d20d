package daemon

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// pacedBodies cuts clients that send a body too slowly: it must arrive within a
// time, plus what its size needs at a rate. Once it has arrived there is no
// limit on how long the answer takes: streams and blocked requests last.
func pacedBodies(next http.Handler, within time.Duration, rate int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		b := &pacedBody{ReadCloser: r.Body, conn: http.NewResponseController(w), due: time.Now().Add(within), rate: rate}
		r.Body = b
		a := &answer{ResponseWriter: w}
		next.ServeHTTP(a, r)
		if b.late && !a.begun {
			tooSlow(w)
		}
		if !b.arrived {
			// What the handler did not read the server reads itself, to
			// use the connection again.
			_ = b.conn.SetReadDeadline(b.due)
		}
	})
}

// tooSlow answers in the place of a handler to whom the client looks gone: to
// net/http a read that times out ends the request's context.
func tooSlow(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Connection", "close")
	w.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(w).Encode(api.Error{Code: process.CodeInvalid,
		Message: "body: was sent too slowly: send it at once"})
}

// Unpaced is for handlers whose clients may take their time: a person types.
func (b *pacedBody) Unpaced() { b.unpaced = true }

// pacedBody moves the connection's deadline on as bytes arrive.
type pacedBody struct {
	io.ReadCloser
	conn *http.ResponseController
	due  time.Time
	rate int64

	unpaced bool
	arrived bool
	late    bool
}

func (b *pacedBody) Read(p []byte) (int, error) {
	if !b.unpaced {
		_ = b.conn.SetReadDeadline(b.due)
	}
	n, err := b.ReadCloser.Read(p)
	b.due = b.due.Add(time.Duration(int64(n) * int64(time.Second) / b.rate))
	switch {
	case errors.Is(err, io.EOF):
		// The connection is read on, to see the client go: without limit.
		b.arrived = true
		_ = b.conn.SetReadDeadline(time.Time{})
	case errors.Is(err, os.ErrDeadlineExceeded):
		b.late = !b.unpaced
	}
	return n, err
}

// answer knows whether a handler has answered.
type answer struct {
	http.ResponseWriter
	begun bool
}

func (a *answer) WriteHeader(status int) {
	a.begun = true
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(b []byte) (int, error) {
	a.begun = true
	return a.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
