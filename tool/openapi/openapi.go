// Package openapi makes tools of an HTTP API that an OpenAPI document (3.0 or
// 3.1, JSON or YAML) describes: one for each operation.
//
// The path, query and header parameters of an operation and the properties of
// its JSON body become one object of parameters. A body that is no plain object,
// or whose properties collide with parameters, is the property "body" of it. The
// result is the JSON that was answered; other text is a string, no answer is
// null. An answer that is no success is a *process.ToolError of the code
// "http_404" with what the server said.
//
// Credentials are added by the host and redacted from all that comes back.
// Redirects are followed within the same origin only.
package openapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/tool"
)

// Config of an adapter.
type Config struct {
	Document string // where the document is: a file, or an http or https URL
	Data     []byte // the document itself, in place of Document
	URL      string // of the API; empty: the document's first server

	Headers map[string]process.Secret // sent with each call
	Query   map[string]process.Secret // added to each call
	Bearer  process.Secret            // a token for the Authorization header
	Basic   *Basic
	Secrets []process.Secret // further values to be kept from programs

	Transport   http.RoundTripper // nil: one of its own, like http.DefaultTransport
	MaxResponse int64             // bytes; 0: 8 MiB
}

// Basic are credentials for basic authentication.
type Basic struct {
	User     string
	Password process.Secret
}

// Adapter performs calls of an API. See [Config].
type Adapter struct {
	cfg     Config
	client  *http.Client
	secrets tool.Secrets

	mu   sync.Mutex
	base *url.URL              // nil until opened
	auth *Basic                // cfg.Basic, or what the URL held
	ops  map[string]*operation // by tool
}

var _ tool.Adapter = (*Adapter)(nil)

// New makes an adapter. What is wrong with the configuration is said by Open.
func New(cfg Config) *Adapter {
	if cfg.MaxResponse == 0 {
		cfg.MaxResponse = 8 << 20
	}
	if own, ok := http.DefaultTransport.(*http.Transport); ok && cfg.Transport == nil {
		cfg.Transport = own.Clone() // so that Close closes its connections, not others'
	}
	a := &Adapter{cfg: cfg, auth: cfg.Basic}
	a.client = &http.Client{Transport: cfg.Transport, CheckRedirect: sameOrigin}
	a.secrets = tool.NewSecrets(secretValues(cfg)...)
	return a
}

func secretValues(cfg Config) []string {
	values := append(tool.SensitiveValues(cfg.Headers), tool.SensitiveValues(cfg.Query)...)
	values = append(values, cfg.Bearer.Reveal())
	if cfg.Basic != nil {
		values = append(values, cfg.Basic.Password.Reveal(), cfg.Basic.User+":"+cfg.Basic.Password.Reveal())
	}
	for _, u := range []string{cfg.URL, cfg.Document} {
		if parsed, err := url.Parse(u); err == nil && parsed.User != nil {
			password, _ := parsed.User.Password()
			values = append(values, password, parsed.User.Username()+":"+password)
		}
	}
	for _, s := range cfg.Secrets {
		values = append(values, s.Reveal())
	}
	return values
}

// sameOrigin stops redirects that would carry a call, and its credentials,
// somewhere else: the redirecting answer is then the answer.
func sameOrigin(next *http.Request, via []*http.Request) error {
	if len(via) >= 5 || !sameHost(next.URL, via[0].URL) {
		return http.ErrUseLastResponse
	}
	return nil
}

func sameHost(a, b *url.URL) bool { return a.Scheme == b.Scheme && a.Host == b.Host }

// Kind is "openapi".
func (a *Adapter) Kind() string { return "openapi" }

// Open reads the document.
func (a *Adapter) Open(ctx context.Context) (tool.Service, error) {
	s, err := a.open(ctx)
	if err != nil {
		return s, errors.New(a.secrets.Redact(err.Error()))
	}
	return s, nil
}

func (a *Adapter) open(ctx context.Context) (tool.Service, error) {
	raw, from, err := a.load(ctx)
	if err != nil {
		return tool.Service{}, err
	}
	doc, err := parse(raw)
	if err != nil {
		return tool.Service{}, err
	}
	base, err := baseURL(a.cfg.URL, doc, from)
	if err != nil {
		return tool.Service{}, err
	}
	if a.cfg.URL == "" && from != nil && !sameHost(base, from) && a.hasCredentials() {
		return tool.Service{}, fmt.Errorf("its document is from %s and says that the API is at %s: set its url, so that the document does not decide who gets its credentials", from.Host, base.Host)
	}
	tools, ops, err := doc.tools(a.ownParameter)
	if err != nil {
		return tool.Service{}, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if base.User != nil {
		password, _ := base.User.Password()
		a.auth = &Basic{User: base.User.Username(), Password: process.Secret(password)}
		base.User = nil
	}
	a.base, a.ops = base, ops
	return a.secrets.RedactService(tool.Service{Name: doc.title(), Description: doc.description(), Tools: tools}), nil
}

// Call performs an operation.
func (a *Adapter) Call(ctx context.Context, name string, params json.RawMessage) (json.RawMessage, error) {
	a.mu.Lock()
	base, op := a.base, a.ops[name]
	a.mu.Unlock()
	if base == nil {
		return nil, fmt.Errorf("%w: the adapter is not open", tool.ErrNotSent)
	}
	if op == nil {
		return nil, tool.Errorf(process.ToolNotFound, "there is no operation %s", name)
	}
	req, err := op.request(ctx, base, params)
	if err != nil {
		return nil, tool.Errorf(process.ToolInvalid, "invalid parameters for %s: %s", name, err)
	}
	a.authorize(req)
	result, err := a.do(req)
	if err != nil {
		return nil, err
	}
	return a.secrets.RedactJSON(result), nil
}

// Close forgets the document and closes idle connections.
func (a *Adapter) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.base, a.ops = nil, nil
	if a.cfg.Transport != nil {
		a.client.CloseIdleConnections()
	}
	return nil
}
