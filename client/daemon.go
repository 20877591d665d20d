package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/reeverun/reeve/api"
)

// Health returns nil when the daemon answers.
func (c *Client) Health(ctx context.Context) error {
	_, err := call[api.Health](ctx, c, request{method: http.MethodGet, path: "/health"})
	return err
}

// Version says what the daemon is.
func (c *Client) Version(ctx context.Context) (api.Version, error) {
	return call[api.Version](ctx, c, request{method: http.MethodGet, path: "/version"})
}

// Environments says what can be run in.
func (c *Client) Environments(ctx context.Context) ([]api.Environment, error) {
	all, err := call[api.Environments](ctx, c, request{method: http.MethodGet, path: "/environments"})
	return all.Environments, err
}

// EnvironmentDocs says how to write code for an environment, as Markdown.
func (c *Client) EnvironmentDocs(ctx context.Context, name string) (string, error) {
	return c.text(ctx, "/environments/"+url.PathEscape(name)+"/docs")
}

// Prune removes old events and output now.
func (c *Client) Prune(ctx context.Context, body api.Prune) (api.Pruned, error) {
	return call[api.Pruned](ctx, c, request{method: http.MethodPost, path: "/prune", body: body})
}
