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

// Notifications returns a page of who was told of the ends of a process's runs,
// newest first. A limit of 0 is the server's; the cursor is the NextCursor of the
// page before.
func (c *Client) Notifications(ctx context.Context, id process.ID, limit int, cursor string) (api.Notifications, error) {
	v := url.Values{}
	if limit != 0 {
		v.Set("limit", strconv.Itoa(limit))
	}
	if cursor != "" {
		v.Set("cursor", cursor)
	}
	return call[api.Notifications](ctx, c, request{method: http.MethodGet, path: processPath(id) + "/notifications", query: v})
}

// Renotify sends the notification of a run again, now.
func (c *Client) Renotify(ctx context.Context, id process.ID, run int) (process.NotificationRecord, error) {
	return call[process.NotificationRecord](ctx, c, request{method: http.MethodPost,
		path: fmt.Sprintf("%s/notifications/%d/retry", processPath(id), run)})
}
