package client

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/reeverun/reeve/process"
)

// Trace follows the kernel calls of a process from now on, until its run is
// reaped. What is missed while a connection is down is gone, so it is not opened
// again: an error is the last thing it yields, also when ctx is over.
func (c *Client) Trace(ctx context.Context, id process.ID) iter.Seq2[process.Syscall, error] {
	return func(yield func(process.Syscall, error) bool) {
		resp, err := c.subscribe(ctx, processPath(id)+"/trace", nil, -1)
		if err != nil {
			yield(process.Syscall{}, err)
			return
		}
		defer resp.Body.Close()
		var last process.Syscall
		for messages := newMessages(resp.Body); ; {
			msg, err := messages.next()
			if err != nil {
				if err = endOfTrace(ctx, last, err); err != nil {
					yield(process.Syscall{}, err)
				}
				return
			}
			if msg.data == nil {
				continue
			}
			call := process.Syscall{}
			if err := json.Unmarshal(msg.data, &call); err != nil {
				yield(call, fmt.Errorf("read a call: %w", err))
				return
			}
			if last = call; !yield(call, nil) {
				return
			}
		}
	}
}

// endOfTrace is nil if the trace is complete: the last call of a run is its
// reap.
func endOfTrace(ctx context.Context, last process.Syscall, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err = endOfStream(err); err == nil && last.Call != process.CallReap {
		err = errEnded
	}
	return err
}
