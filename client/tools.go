package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/reeverun/reeve/api"
)

// Services lists the services whose tools programs can call.
func (c *Client) Services(ctx context.Context) ([]api.Service, error) {
	all, err := call[api.Services](ctx, c, request{method: http.MethodGet, path: "/services"})
	return all.Services, err
}

// ToolQuery selects tools. Zero fields do not filter.
type ToolQuery struct {
	Words   string // to look for in service, name and description
	Service string
	Limit   int
}

// Tools finds tools, the best first; without words all, by name.
func (c *Client) Tools(ctx context.Context, q ToolQuery) ([]api.Tool, error) {
	v := url.Values{}
	if q.Words != "" {
		v.Set("query", q.Words)
	}
	if q.Service != "" {
		v.Set("service", q.Service)
	}
	if q.Limit != 0 {
		v.Set("limit", strconv.Itoa(q.Limit))
	}
	all, err := call[api.Tools](ctx, c, request{method: http.MethodGet, path: "/tools", query: v})
	return all.Tools, err
}

// Tool returns one tool.
func (c *Client) Tool(ctx context.Context, service, tool string) (api.Tool, error) {
	return call[api.Tool](ctx, c, request{method: http.MethodGet, path: "/tools/" + url.PathEscape(service) + "/" + url.PathEscape(tool)})
}
