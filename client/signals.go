package client

import (
	"context"
	"net/http"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// Start runs an idle process again.
func (c *Client) Start(ctx context.Context, id process.ID, body api.Run) (process.Record, error) {
	return call[process.Record](ctx, c, request{method: http.MethodPost, path: processPath(id) + "/signals/run", body: body})
}

// Kill ends a process: with SIGTERM and, after the grace, SIGKILL. With Block it
// answers when its tree is observed empty.
func (c *Client) Kill(ctx context.Context, id process.ID, body api.Kill) (process.Record, error) {
	return call[process.Record](ctx, c, request{method: http.MethodPost, path: processPath(id) + "/signals/kill", body: body})
}

// Signal delivers one of SIGTERM, SIGINT, SIGPAUSE and SIGRESUME. The program
// decides what the first two lead to; Kill is what ends a process.
func (c *Client) Signal(ctx context.Context, id process.ID, sig process.Signal, body api.Signal) (api.Signaled, error) {
	var route string
	switch sig {
	case process.SIGTERM:
		route = "term"
	case process.SIGINT:
		route = "int"
	case process.SIGPAUSE:
		route = "pause"
	case process.SIGRESUME:
		route = "resume"
	default:
		return api.Signaled{}, process.Invalid("signal", "%s cannot be sent this way: use a kill", sig)
	}
	return call[api.Signaled](ctx, c, request{method: http.MethodPost, path: processPath(id) + "/signals/" + route, body: body})
}
