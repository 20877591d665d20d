package server

import (
	"net/http"
	"time"
)

// How long a client may leave an answer unread: short for answers that are in
// hand, long for streams, for people read, too.
const (
	answeredWithin = 30 * time.Second
	stalledAfter   = 10 * time.Minute
)

// patient is a writer that gives a client some time to read, each time anew. A
// client that does not read must not hold a slot for ever.
type patient struct {
	http.ResponseWriter
	within time.Duration
}

func (p *patient) Write(b []byte) (int, error) {
	p.grant()
	return p.ResponseWriter.Write(b)
}

// FlushError sends what was written.
func (p *patient) FlushError() error {
	p.grant()
	return http.NewResponseController(p.ResponseWriter).Flush()
}

// Unwrap is for http.ResponseController.
func (p *patient) Unwrap() http.ResponseWriter { return p.ResponseWriter }

func (p *patient) grant() {
	_ = http.NewResponseController(p.ResponseWriter).SetWriteDeadline(time.Now().Add(p.within))
}
