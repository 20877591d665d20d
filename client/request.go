package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// request is one call of the API.
type request struct {
	method string
	path   string
	query  url.Values
	header map[string]string
	body   any    // as JSON; nil: none
	bytes  []byte // a body as it is; nil: none
	media  string // the type of such a body; empty: application/octet-stream
}

// do sends the request and returns a successful answer, whose body the caller
// closes.
func (c *Client) do(ctx context.Context, r request) (*http.Response, error) {
	target := c.base + r.path
	if len(r.query) > 0 {
		target += "?" + r.query.Encode()
	}
	var body io.Reader
	if r.body != nil {
		b, err := json.Marshal(r.body)
		if err != nil {
			return nil, fmt.Errorf("write the request: %w", err)
		}
		body = bytes.NewReader(b)
	}
	if r.bytes != nil {
		body = bytes.NewReader(r.bytes)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, target, body)
	if err != nil {
		return nil, err
	}
	switch {
	case r.bytes != nil:
		req.Header.Set("Content-Type", cmp.Or(r.media, "application/octet-stream"))
	case body != nil:
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	for name, value := range r.header {
		req.Header.Set(name, value)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.transportError(err)
	}
	c.answered.Store(true)
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer resp.Body.Close()
		return nil, statusError(resp)
	}
	return resp, nil
}

// call sends the request and decodes its JSON answer.
func call[T any](ctx context.Context, c *Client, r request) (T, error) {
	var answer T
	resp, err := c.do(ctx, r)
	if err != nil {
		return answer, err
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return answer, fmt.Errorf("read the answer to %s %s: %w", r.method, r.path, err)
	}
	_, _ = io.Copy(io.Discard, resp.Body) // so that the connection is used again
	return answer, nil
}

// text sends the request and returns its answer as it is.
func (c *Client) text(ctx context.Context, path string) (string, error) {
	resp, err := c.do(ctx, request{method: http.MethodGet, path: path})
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", fmt.Errorf("read the answer to GET %s: %w", path, err)
	}
	return string(b), nil
}
