package client

import (
	"context"
	"fmt"
	"net/http"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// CreateSupervisor starts a supervision tree, and answers when its children have
// been started. Wait is of no use here.
func (c *Client) CreateSupervisor(ctx context.Context, body api.Supervisor, o CreateOptions) (api.SupervisorRecord, error) {
	return create[api.SupervisorRecord](ctx, c, request{method: http.MethodPost, path: "/supervisors", body: body}, o.IdempotencyKey)
}

// CreateSupervisorYAML is CreateSupervisor for what reeve up reads. Directories
// in it are absolute; errors name the line.
func (c *Client) CreateSupervisorYAML(ctx context.Context, text []byte, o CreateOptions) (api.SupervisorRecord, error) {
	return create[api.SupervisorRecord](ctx, c, request{method: http.MethodPost, path: "/supervisors", bytes: text, media: "application/yaml"}, o.IdempotencyKey)
}

// Supervisors lists the newest supervisors.
func (c *Client) Supervisors(ctx context.Context) ([]api.SupervisorRecord, error) {
	all, err := call[api.Supervisors](ctx, c, request{method: http.MethodGet, path: "/supervisors"})
	return all.Supervisors, err
}

// Supervisor returns a supervisor with its children.
func (c *Client) Supervisor(ctx context.Context, id process.ID) (api.SupervisorRecord, error) {
	return call[api.SupervisorRecord](ctx, c, request{method: http.MethodGet, path: supervisorPath(id)})
}

// DeleteSupervisor ends a supervisor with its children and returns when that is
// over, or deletes one that is idle with what is left of them.
func (c *Client) DeleteSupervisor(ctx context.Context, id process.ID) (api.SupervisorRecord, error) {
	return call[api.SupervisorRecord](ctx, c, request{method: http.MethodDelete, path: supervisorPath(id)})
}

func supervisorPath(id process.ID) string { return fmt.Sprintf("/supervisors/%d", id) }
