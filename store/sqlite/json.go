package sqlite

import (
	"encoding/json"
	"strconv"

	"github.com/reeverun/reeve/process"
)

// Every job is written as JSON several times, and encoding/json costs as much
// as half of the database does. What every job has is therefore put together
// by hand here; whatever is rare goes through encoding/json. Reading always
// does, and the tests compare both.

// object appends the fields of a JSON object, leaving out zero values. Its
// buffer is used again and again.
type object struct {
	b   []byte
	err error
}

func (o *object) start() {
	o.b, o.err = append(o.b[:0], '{'), nil
}

func (o *object) open()  { o.b = append(o.b, '{') }
func (o *object) close() { o.b = append(o.b, '}') }

func (o *object) key(name string) {
	if o.b[len(o.b)-1] != '{' {
		o.b = append(o.b, ',')
	}
	o.b = append(o.b, '"')
	o.b = append(o.b, name...)
	o.b = append(o.b, '"', ':')
}

func (o *object) int(name string, n int64) {
	if n != 0 {
		o.key(name)
		o.b = strconv.AppendInt(o.b, n, 10)
	}
}

func (o *object) bool(name string, v bool) {
	if v {
		o.key(name)
		o.b = append(o.b, "true"...)
	}
}

func (o *object) string(name, s string) {
	if s != "" {
		o.key(name)
		o.b = appendString(o.b, s)
	}
}

func (o *object) strings(name string, list []string) {
	if len(list) > 0 {
		o.key(name)
		o.b = appendStrings(o.b, list)
	}
}

// value leaves a field to encoding/json.
func (o *object) value(name string, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		o.err = err
		return
	}
	o.key(name)
	o.b = append(o.b, text...)
}

// done returns the text of the object that start began.
func (o *object) done() (string, error) {
	o.close()
	return string(o.b), o.err
}

func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			text, _ := json.Marshal(s) // a string never fails
			return append(b, text...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

func appendStrings(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, s)
	}
	return append(b, ']')
}

// appendPayload appends the payloads every job has, as encoding/json would
// write them, and reports whether this was one.
func appendPayload(b []byte, p process.Payload) ([]byte, bool) {
	switch d := p.(type) {
	case process.ProcessQueued:
		return append(b, "{}"...), true
	case process.ProcessStarted:
		o := object{b: append(b, '{')}
		o.int("pid", int64(d.PID))
		return append(o.b, '}'), true
	case process.ProcessCreated:
		if d.Label != nil || d.Tags != nil || d.Parent != nil {
			return b, false
		}
		b = appendString(append(b, `{"environment":`...), d.Environment)
		return append(b, `,"label":null,"tags":null,"parent":null}`...), true
	case process.Exited:
		if d.Signal != nil {
			return b, false
		}
		b = strconv.AppendInt(append(b, `{"code":`...), int64(d.Code), 10)
		return append(b, `,"signal":null}`...), true
	case process.Reaped:
		if d.Steps == nil {
			return b, false
		}
		return append(appendStrings(append(b, `{"steps":`...), d.Steps), '}'), true
	case process.Finalized:
		o := d.Outcome
		if o.Reason != nil || o.Summary != "" || len(o.Findings) > 0 || len(o.Survivors) > 0 {
			return b, false
		}
		b = appendString(append(b, `{"outcome":{"kind":`...), string(o.Kind))
		return append(b, `,"summary":null,"findings":[],"survivors":[]}}`...), true
	}
	return b, false
}
