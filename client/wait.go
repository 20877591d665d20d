package client

import (
	"context"
	"errors"
	"io"
	"net/url"

	"github.com/reeverun/reeve/process"
)

// errLagged says that the daemon could not keep the stream complete.
var errLagged = errors.New("events were missed")

// endOfStream turns the clean end of a stream into nil.
func endOfStream(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// Wait returns the record of a process as soon as it is idle. It does not poll:
// it listens for the end of runs, which costs nothing however much the process
// writes.
func (c *Client) Wait(ctx context.Context, id process.ID) (process.Record, error) {
	again := c.retry()
	for {
		rec, err := c.waitOnce(ctx, id, again)
		if err == nil {
			return rec, nil
		}
		if ctx.Err() != nil {
			return rec, context.Cause(ctx)
		}
		if !again.wait(ctx, err) {
			return rec, err
		}
	}
}

// waitOnce waits as long as its connection lasts. It looks at the record after
// it began to listen, so that no end is missed.
func (c *Client) waitOnce(ctx context.Context, id process.ID, again *retry) (process.Record, error) {
	rec, err := c.Process(ctx, id)
	if err != nil || rec.State == process.Idle {
		return rec, err
	}
	resp, err := c.subscribe(ctx, "/events", url.Values{"kind": {string(process.KindFinalized)}}, -1)
	if err != nil {
		return rec, err
	}
	defer resp.Body.Close()
	messages := newMessages(resp.Body)
	for {
		rec, err = c.Process(ctx, id)
		if err != nil || rec.State == process.Idle {
			return rec, err
		}
		again.succeeded()
		if err := awaitEnd(messages, id); err != nil {
			return rec, err
		}
	}
}

// awaitEnd reads until a run of the process has ended, or may have.
func awaitEnd(messages *messages, id process.ID) error {
	for {
		msg, err := messages.next()
		if err == io.EOF {
			return errEnded
		}
		if err != nil {
			return err
		}
		ev, ok, err := decodeEvent(msg)
		if err != nil {
			return err
		}
		if ok && (ev.Process == id || ev.Kind == process.KindLagged) {
			return nil
		}
	}
}
