package server

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/process"
)

func (q *request) trace() error {
	id, err := q.id()
	if err != nil {
		return err
	}
	t, err := q.s.rt.Trace(q.r.Context(), id)
	if err != nil {
		return err
	}
	return q.serveStream(&callSource{Trace: t})
}

// callSource is the kernel calls of a trace.
type callSource struct {
	*reeve.Trace
	call process.Syscall // that was waited for
}

func (s *callSource) wait(ctx context.Context) (err error) {
	s.call, err = s.Next(ctx)
	return err
}

// write writes calls without an id: they are live only, and a client that comes
// back goes on with what happens then.
func (s *callSource) write(ctx context.Context, buf *bytes.Buffer) error {
	for {
		data, err := json.Marshal(&s.call)
		if err != nil {
			return err
		}
		buf.WriteString("data: ")
		buf.Write(data)
		buf.WriteString("\n\n")
		if buf.Len() >= batch || !s.Ready() {
			return nil
		}
		if err := s.wait(ctx); err != nil {
			return err
		}
	}
}

func (*callSource) beat(*bytes.Buffer) {}
