package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// inputBlock is how much of a body is passed on at a time.
const inputBlock = 32 << 10

// input passes a body on to a process as it comes.
func (q *request) input() error {
	id, err := q.id()
	if err != nil {
		return err
	}
	ctx, cancel, err := q.wait(q.s.streaming)
	if err != nil {
		return err
	}
	defer cancel()
	total, err := q.passOn(ctx, id)
	if err == nil && q.flag("eof") {
		err = q.s.rt.CloseInput(ctx, id)
	}
	if err != nil && total == 0 {
		return err // else the next request meets it, and this one tells how far it came
	}
	return q.answer(http.StatusOK, api.Input{Bytes: total})
}

// passOn copies the body to the process's input, and returns how much it took.
func (q *request) passOn(ctx context.Context, id process.ID) (total int64, err error) {
	if b, ok := q.r.Body.(interface{ Unpaced() }); ok {
		b.Unpaced()
	}
	// A client that is silent must not keep the server from stopping.
	conn := http.NewResponseController(q.w)
	defer context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })()
	buf := make([]byte, inputBlock)
	for first := true; ; first = false {
		n, end := q.r.Body.Read(buf)
		if n > 0 || first { // an empty body finds out, too, whether there is input
			taken, err := q.s.rt.Input(ctx, id, buf[:n])
			total += int64(taken)
			if err != nil {
				return total, err
			}
		}
		switch {
		case errors.Is(end, io.EOF):
			return total, nil
		case ctx.Err() != nil:
			return total, context.Cause(ctx)
		case end != nil:
			return total, process.Invalid("body", "could not be read: %v", end)
		}
	}
}

// resize changes the size of a process's terminal.
func (q *request) resize() error {
	id, err := q.id()
	if err != nil {
		return err
	}
	var w api.Window
	if _, err := q.decode(&w); err != nil {
		return err
	}
	if err := q.s.rt.Resize(q.r.Context(), id, w); err != nil {
		return err
	}
	return q.answer(http.StatusOK, w)
}
