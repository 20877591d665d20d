package client

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/reeverun/reeve/process"
)

// DefaultPatience is how long a broken stream tries to connect again.
const DefaultPatience = 30 * time.Second

// Config says where the daemon is.
type Config struct {
	// Host is "http://127.0.0.1:7338", "127.0.0.1:7338" or "unix:///path".
	Host string
	// Token is sent as a bearer token; empty: none.
	Token string
	// Patience is how long a broken stream tries to connect again; 0:
	// DefaultPatience, negative: not at all.
	Patience time.Duration
	// OnRetry is called when a stream has been cut off for a second and is
	// being tried again; nil: nobody is told. Streams may call it at the same
	// time.
	OnRetry func(error)
}

// Client speaks to one daemon. Its methods are safe for concurrent use.
type Client struct {
	host     string // as people write it
	base     string // of every URL
	token    string
	patience time.Duration
	onRetry  func(error)
	http     *http.Client
	answered atomic.Bool // the daemon was there once
}

// New makes a client; it does not connect.
func New(cfg Config) (*Client, error) {
	c := &Client{host: cfg.Host, token: cfg.Token, patience: cfg.Patience, onRetry: cfg.OnRetry}
	if c.patience == 0 {
		c.patience = DefaultPatience
	}
	transport, err := c.transport()
	if err != nil {
		return nil, err
	}
	c.http = &http.Client{Transport: transport}
	return c, nil
}

// Host is where the daemon is looked for, as it was configured.
func (c *Client) Host() string { return c.host }

// Close ends the idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// transport also sets base.
func (c *Client) transport() (*http.Transport, error) {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	t := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext,
		MaxIdleConnsPerHost: 8, IdleConnTimeout: time.Minute,
		DisableCompression: true, // byte offsets count what is sent
	}
	if path, ok := strings.CutPrefix(c.host, "unix://"); ok {
		if path == "" {
			return nil, badHost(c.host)
		}
		c.base, t.Proxy = "http://localhost", nil
		t.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "unix", path)
		}
		return t, nil
	}
	host := c.host
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, badHost(c.host)
	}
	c.base = u.Scheme + "://" + u.Host + strings.TrimRight(u.Path, "/")
	return t, nil
}

func badHost(host string) error {
	return process.Invalid("host", "%q is not an address of a daemon: want http://127.0.0.1:7338, 127.0.0.1:7338 or unix:///path/to/the.sock", host)
}
