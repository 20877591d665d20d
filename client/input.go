package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// Input writes to the terminal or the open stdin of a running process and
// returns how much was taken. It waits for a program that does not read until
// ctx is over. A process that takes no input, or no more, is process.ErrNoInput.
//
// While no daemon answers it tries again. A connection that breaks is an error:
// then nobody knows whether the last bytes arrived, and typing them twice is
// worse than losing them.
func (c *Client) Input(ctx context.Context, id process.ID, b []byte) (int, error) {
	if b == nil {
		b = []byte{}
	}
	total, again := 0, c.retry()
	for {
		r := request{method: http.MethodPost, path: processPath(id) + "/input", bytes: b[total:]}
		answer, err := call[api.Input](ctx, c, r)
		total += int(answer.Bytes)
		switch {
		case err == nil && total >= len(b):
			return total, nil
		case err == nil && answer.Bytes > 0:
			again.succeeded()
		case err == nil:
			return total, process.ErrNoInput
		case !untouched(err) || !again.wait(ctx, err):
			return total, err
		}
	}
}

// untouched reports whether a request that failed changed nothing: nobody
// answered, or refused it for now.
func untouched(err error) bool {
	var gone *UnreachableError
	return errors.As(err, &gone) || isAnswer(err)
}

// CloseInput ends the open stdin of a process; to a terminal it sends the
// end-of-file character.
func (c *Client) CloseInput(ctx context.Context, id process.ID) error {
	_, err := call[api.Input](ctx, c, request{method: http.MethodPost, path: processPath(id) + "/input", query: url.Values{"eof": {"1"}}})
	return err
}

// Resize changes the size of a process's terminal.
func (c *Client) Resize(ctx context.Context, id process.ID, w api.Window) error {
	_, err := call[api.Window](ctx, c, request{method: http.MethodPost, path: processPath(id) + "/resize", body: w})
	return err
}
