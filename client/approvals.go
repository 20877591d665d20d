package client

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// Approvals returns a page of approvals, newest first. Its NextCursor is the
// Before of the next page.
func (c *Client) Approvals(ctx context.Context, q process.ApprovalQuery) (api.Approvals, error) {
	v := url.Values{}
	if q.State != "" {
		v.Set("state", string(q.State))
	}
	if q.Process != 0 {
		v.Set("process", q.Process.String())
	}
	if q.Before != 0 {
		v.Set("cursor", q.Before.String())
	}
	if q.Limit != 0 {
		v.Set("limit", strconv.Itoa(q.Limit))
	}
	return call[api.Approvals](ctx, c, request{method: http.MethodGet, path: "/approvals", query: v})
}

// Approval returns one approval.
func (c *Client) Approval(ctx context.Context, id process.ApprovalID) (process.Approval, error) {
	return call[process.Approval](ctx, c, request{method: http.MethodGet, path: approvalPath(id)})
}

// Approve lets a tool call go ahead. It needs a token with the scope approve.
// Who decides after somebody else, or too late, gets process.ErrDecided.
func (c *Client) Approve(ctx context.Context, id process.ApprovalID, body api.Decision) (process.Approval, error) {
	return call[process.Approval](ctx, c, request{method: http.MethodPost, path: approvalPath(id) + "/approve", body: body})
}

// Deny refuses a tool call, as Approve lets it go ahead.
func (c *Client) Deny(ctx context.Context, id process.ApprovalID, body api.Decision) (process.Approval, error) {
	return call[process.Approval](ctx, c, request{method: http.MethodPost, path: approvalPath(id) + "/deny", body: body})
}

func approvalPath(id process.ApprovalID) string { return fmt.Sprintf("/approvals/%d", id) }
