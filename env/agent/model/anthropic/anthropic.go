// Package anthropic asks models that speak Anthropic's messages.
package anthropic

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/reeverun/reeve/env/agent/model"
)

// Config names an endpoint.
type Config struct {
	BaseURL string       // empty: Anthropic's own
	Key     string       // empty: none is sent
	Token   string       // sent as a bearer token, where there is no key
	Client  *http.Client // nil: model.Client(0)
}

// Provider is an endpoint.
type Provider struct {
	messages sdk.MessageService
	client   *http.Client
	host     string
	invalid  error // why the address cannot be used
	secrets  []string
}

var _ model.Model = (*Provider)(nil)

// New makes a provider. It connects when it is asked something.
func New(c Config) *Provider {
	p := &Provider{client: c.Client, secrets: model.Secrets(c.BaseURL, c.Key, c.Token)}
	if p.client == nil {
		p.client = model.Client(0)
	}
	p.host, p.invalid = model.Host(c.BaseURL, "Anthropic")
	options := []option.RequestOption{option.WithHTTPClient(p.client), option.WithEnvironmentProduction(), option.WithMaxRetries(0)}
	if c.BaseURL != "" {
		options = append(options, option.WithBaseURL(c.BaseURL))
	}
	switch {
	case c.Key != "":
		options = append(options, option.WithAPIKey(c.Key))
	case c.Token != "":
		options = append(options, option.WithAuthToken(c.Token))
	}
	p.messages = sdk.NewMessageService(options...)
	return p
}

// Close lets go of idle connections.
func (p *Provider) Close() { p.client.CloseIdleConnections() }

// Complete implements model.Model.
func (p *Provider) Complete(ctx context.Context, q *model.Request, said func(string)) (*model.Answer, error) {
	if p.invalid != nil {
		return nil, model.Fail(ctx, model.Fault{Host: p.host, Err: p.invalid})
	}
	var res *http.Response
	stream := p.messages.NewStreaming(ctx, request(q), option.WithResponseInto(&res))
	defer stream.Close()
	f := model.Fault{Host: p.host, Response: res, Secrets: p.secrets}
	if err := stream.Err(); err != nil || res != nil && res.StatusCode >= 300 {
		f.Err = err
		f.Kind, f.Said = explain(err)
		if f.Said == "" && res != nil && res.Body != nil {
			body, _ := io.ReadAll(io.LimitReader(res.Body, 4<<10))
			f.Said = string(body)
		}
		return nil, model.Fail(ctx, f)
	}
	r := reading{said: said}
	for !r.over && stream.Next() {
		if f.Err = r.event(stream.Current()); f.Err != nil {
			break
		}
	}
	if r.over {
		return r.answer(q.Model), nil
	}
	if f.Err == nil {
		f.Err = stream.Err()
		f.Kind, f.Said = explain(f.Err)
	}
	f.Broken, f.Used = true, r.usage()
	return nil, model.Fail(ctx, f)
}

// explain takes the provider's words out of an error.
func explain(err error) (kind, said string) {
	var e *sdk.Error
	if !errors.As(err, &e) {
		return "", ""
	}
	var body struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(e.RawJSON()), &body) != nil || body.Error.Message == "" {
		// Not the SDK's own words in any case: they hold the address.
		return string(e.Type()), cmp.Or(strings.TrimSpace(e.RawJSON()), "an error without a reason")
	}
	return string(e.Type()), body.Error.Message
}
