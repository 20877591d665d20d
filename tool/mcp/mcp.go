// Package mcp makes tools of servers that speak the Model Context Protocol:
// programs that Reeve starts and speaks to over their standard input and output,
// and servers it reaches over HTTP.
//
// The result of a call is the server's structured content. Where it sends none,
// a text is the result: as the JSON it is, if it is an object or a list, or as a
// string. Anything else comes as {"content": […]}, as the server sent it.
//
// A program gets the variables it is configured with and few others (PATH, HOME
// and the like): what else the host's environment holds is not its affair. It
// ends with Close, and so does what it started and kept in its process group.
// When it dies by itself it is started again by the registry.
//
// Reeve is a plain client: a server cannot ask it for a model's answer, for a
// person's input or for folders.
package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/tool"
)

// Config of an adapter: either Command or URL is set.
type Config struct {
	Command []string                  // the program and its arguments
	Env     map[string]process.Secret // its variables, besides the usual ones
	Dir     string                    // where it runs; empty: where Reeve does

	URL     string                    // of a server that speaks streamable HTTP
	Headers map[string]process.Secret // sent with each request to it

	Secrets []process.Secret // further values to be kept from programs
	Logger  *slog.Logger     // what the program writes to its stderr, at debug; nil: nothing
	Version string           // of Reeve, as servers are told
}

// maxMessage bounds one message of a server.
const maxMessage = 16 << 20

// Adapter performs calls of one server. See [Config].
type Adapter struct {
	cfg     Config
	secrets tool.Secrets
	log     *slog.Logger
	changed func(lost error) // set by Watch

	opening sync.Mutex // held by who opens or closes
	mu      sync.Mutex // guards what follows
	conn    *connection
	names   map[string]string // the tool's name here → the server's
}

var (
	_ tool.Adapter = (*Adapter)(nil)
	_ tool.Watcher = (*Adapter)(nil)
)

// New makes an adapter. What is wrong with the configuration is said by Open.
func New(cfg Config) *Adapter {
	a := &Adapter{cfg: cfg, log: cfg.Logger, changed: func(error) {}}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	values := append(tool.SensitiveValues(cfg.Env), tool.SensitiveValues(cfg.Headers)...)
	if u, err := url.Parse(cfg.URL); err == nil {
		values = append(values, urlSecrets(u)...)
	}
	for _, s := range cfg.Secrets {
		values = append(values, s.Reveal())
	}
	a.secrets = tool.NewSecrets(values...)
	return a
}

// urlSecrets are the password and the keys that a URL holds.
func urlSecrets(u *url.URL) (values []string) {
	if password, ok := u.User.Password(); ok {
		values = append(values, password, u.User.Username()+":"+password)
	}
	for name, all := range u.Query() {
		if tool.Sensitive(name) {
			values = append(values, all...)
		}
	}
	return values
}

// Kind is "mcp".
func (a *Adapter) Kind() string { return "mcp" }

// Watch makes the adapter say when its server is lost or has other tools.
func (a *Adapter) Watch(changed func(lost error)) { a.changed = changed }

// Open connects, unless connected, and lists the tools.
func (a *Adapter) Open(ctx context.Context) (tool.Service, error) {
	a.opening.Lock()
	defer a.opening.Unlock()
	c := a.current()
	if c == nil {
		var err error
		if c, err = a.connect(ctx); err != nil {
			return tool.Service{}, errors.New(a.secrets.Redact(err.Error()))
		}
		a.mu.Lock()
		a.conn = c
		a.mu.Unlock()
	}
	tools, names, err := list(ctx, c.session)
	if err != nil {
		return tool.Service{}, errors.New(a.secrets.Redact(c.explain(err).Error()))
	}
	a.mu.Lock()
	a.names = names
	a.mu.Unlock()
	s := tool.Service{Tools: tools}
	if info := c.session.InitializeResult(); info != nil {
		s.Description = info.Instructions
		if info.ServerInfo != nil {
			s.Name = info.ServerInfo.Name
			if s.Description == "" {
				s.Description = info.ServerInfo.Title
			}
		}
	}
	return a.secrets.RedactService(s), nil
}

func (a *Adapter) current() *connection {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.conn
}

// maxTools bounds how many tools of one server are listed.
const maxTools = 10_000

// maxListing bounds what they take to describe. A page of a listing is bounded
// as any message is; the number of pages is not.
const maxListing = 64 << 20

// list reads the tools of a server, page by page.
func list(ctx context.Context, session *mcp.ClientSession) ([]tool.Tool, map[string]string, error) {
	var tools []tool.Tool
	names, size := map[string]string{}, 0
	for t, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil, nil, fmt.Errorf("list tools: %w", err)
		}
		if len(tools) >= maxTools {
			return nil, nil, fmt.Errorf("it has more than %d tools", maxTools)
		}
		name := tool.SafeName(t.Name, func(s string) bool { _, taken := names[s]; return taken })
		names[name] = t.Name
		one := tool.Tool{Name: name, Description: describe(t), Params: schema(t.InputSchema), Result: schema(t.OutputSchema)}
		if size += len(t.Name) + len(one.Description) + len(one.Params) + len(one.Result); size > maxListing {
			return nil, nil, fmt.Errorf("its tools take more than %d bytes to describe", maxListing)
		}
		tools = append(tools, one)
	}
	return tools, names, nil
}

func describe(t *mcp.Tool) string {
	switch {
	case t.Description != "":
		return t.Description
	case t.Title != "":
		return t.Title
	case t.Annotations != nil:
		return t.Annotations.Title
	}
	return ""
}

// schema writes a schema as the server sent it; nil if it sent none.
func schema(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	raw, err := json.Marshal(v)
	if err != nil || string(raw) == "null" {
		return nil
	}
	return raw
}

// Close ends the connection, and the program behind it.
func (a *Adapter) Close() error {
	a.opening.Lock()
	defer a.opening.Unlock()
	a.mu.Lock()
	c := a.conn
	a.conn = nil
	a.mu.Unlock()
	if c != nil {
		c.close()
	}
	return nil
}
