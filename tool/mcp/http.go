package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/reeverun/reeve/process"
)

// reach prepares the way to a server over HTTP.
func (a *Adapter) reach(c *connection) (mcp.Transport, error) {
	u, err := url.Parse(a.cfg.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("its url is not valid: want one such as https://example.com/mcp")
	}
	// The life of the connection, not of one request: the SDK waits for its
	// requests when it closes, and a server may never answer.
	life, cancel := context.WithCancel(context.Background())
	base := http.DefaultTransport
	if own, ok := base.(*http.Transport); ok {
		base = own.Clone() // so that its connections end with this one
	}
	client := &http.Client{
		Transport:     &traveler{base: base, origin: u, headers: a.cfg.Headers, atEnd: func(f func()) func() bool { return context.AfterFunc(life, f) }},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	c.stop = func() {
		cancel()
		client.CloseIdleConnections()
	}
	return &mcp.StreamableClientTransport{Endpoint: a.cfg.URL, HTTPClient: client, MaxEventSize: maxMessage}, nil
}

// traveler sends requests with the operator's headers, to the one origin they
// are for, and bounds what comes back.
type traveler struct {
	base    http.RoundTripper
	origin  *url.URL
	headers map[string]process.Secret
	atEnd   func(func()) (stop func() bool) // calls at the end of the connection
}

// RoundTrip sends one request.
func (t *traveler) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != t.origin.Scheme || req.URL.Host != t.origin.Host {
		return nil, fmt.Errorf("the server sent the client to another host, %s", req.URL.Host)
	}
	ctx, cancel := context.WithCancel(req.Context())
	req = req.Clone(ctx)
	for name, value := range t.headers {
		req.Header.Set(name, value.Reveal())
	}
	forget := t.atEnd(cancel)
	end := func() { forget(); cancel() }
	res, err := t.base.RoundTrip(req)
	if err != nil {
		end()
		return nil, err
	}
	res.Body = &boundedBody{ReadCloser: res.Body, left: bound(res.Header), end: end}
	return res, nil
}

// CloseIdleConnections is called by the client of the same method.
func (t *traveler) CloseIdleConnections() {
	if c, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// bound is how many bytes an answer may have; a stream of events is bounded
// event by event.
func bound(h http.Header) int64 {
	if t, _, _ := mime.ParseMediaType(h.Get("Content-Type")); t == "text/event-stream" {
		return -1
	}
	return maxMessage
}

// boundedBody ends an answer that is too long, and tells when it is closed.
type boundedBody struct {
	io.ReadCloser
	left int64 // negative: no bound
	end  func()
	done bool
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return b.ReadCloser.Read(p)
	}
	if b.left == 0 {
		return 0, fmt.Errorf("the answer has more than %d bytes", maxMessage)
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

func (b *boundedBody) Close() error {
	err := b.ReadCloser.Close()
	if !b.done {
		b.done = true
		b.end()
	}
	return err
}
