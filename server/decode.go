package server

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// decode reads the body into v, after checking it against the route's schema.
// A body that may be left out is then as if it were {}. It returns the bytes.
func (q *request) decode(v any) ([]byte, error) {
	b, err := q.readBody()
	if err != nil {
		return nil, err
	}
	if len(b) == 0 {
		if q.route.bodyOptional {
			return nil, nil
		}
		return nil, process.Invalid("body", "is empty: want a JSON object")
	}
	return b, q.s.desc.decode(q.route, b, v)
}

// decode checks a body and reads it into v. It is the whole way of a client's
// bytes into the program, and fuzzed as such.
func (d *description) decode(r *route, b []byte, v any) error {
	var raw any
	if err := json.Unmarshal(b, &raw); err != nil {
		return malformed(err)
	}
	if err := d.check(r.bodySchema, "", raw); err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return malformed(err)
	}
	return nil
}

func (q *request) readBody() ([]byte, error) {
	limit := q.s.cfg.MaxBody
	if q.r.ContentLength > limit {
		q.refuseBody()
		return nil, tooLarge(limit)
	}
	b, err := io.ReadAll(http.MaxBytesReader(q.w, q.r.Body, limit))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		q.refuseBody()
		return nil, tooLarge(limit)
	case err != nil:
		return nil, process.Invalid("body", "could not be read: %v", err)
	}
	return b, nil
}

// refuseBody makes the answer to a body that is too large readable: a client
// that is still sending when the connection is closed does not see it. Within
// reason what it sends is read, and dropped.
func (q *request) refuseBody() {
	q.w.Header().Set("Connection", "close")
	_, _ = io.CopyN(io.Discard, q.r.Body, max(q.s.cfg.MaxBody, 8<<20))
}

func tooLarge(limit int64) error {
	return &process.Error{Code: api.CodeTooLarge, Message: "the body is larger than " + size(limit),
		Hint: "the server's --max-body sets the limit"}
}

// malformed says what is wrong with JSON, in a client's terms.
func malformed(err error) error {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return process.Invalid("body", "is not JSON: %v (at byte %d)", syntax, syntax.Offset)
	case errors.As(err, &typ) && typ.Field != "":
		return process.Invalid(typ.Field, "cannot be %s", typ.Value)
	}
	return process.Invalid("body", "cannot be read: %v", err)
}
