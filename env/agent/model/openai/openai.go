// Package openai asks models that speak OpenAI's chat completions, which many
// servers do. It is tolerant where they differ: calls may come under any index,
// usage in any chunk or not at all, and an answer that said why it ended is
// whole.
package openai

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/reeverun/reeve/env/agent/model"
)

// Config names an endpoint.
type Config struct {
	BaseURL      string // empty: OpenAI's own
	Key          string // empty: none is sent
	Organization string
	Project      string
	Client       *http.Client // nil: model.Client(0)
}

// Provider is an endpoint.
type Provider struct {
	chat    sdk.ChatCompletionService
	client  *http.Client
	host    string
	invalid error // why the address cannot be used
	secrets []string
	plain   atomic.Bool // the server does not know stream_options
}

var _ model.Model = (*Provider)(nil)

// New makes a provider. It connects when it is asked something.
func New(c Config) *Provider {
	p := &Provider{client: c.Client, secrets: model.Secrets(c.BaseURL, c.Key)}
	if p.client == nil {
		p.client = model.Client(0)
	}
	p.host, p.invalid = model.Host(c.BaseURL, "OpenAI")
	options := []option.RequestOption{option.WithHTTPClient(p.client), option.WithEnvironmentProduction(), option.WithMaxRetries(0)}
	set := func(value string, with func(string) option.RequestOption) {
		if value != "" {
			options = append(options, with(value))
		}
	}
	set(c.BaseURL, option.WithBaseURL)
	set(c.Key, option.WithAPIKey)
	set(c.Organization, option.WithOrganization)
	set(c.Project, option.WithProject)
	p.chat = sdk.NewChatCompletionService(options...)
	return p
}

// Close lets go of idle connections.
func (p *Provider) Close() { p.client.CloseIdleConnections() }

// Complete implements model.Model.
func (p *Provider) Complete(ctx context.Context, q *model.Request, said func(string)) (*model.Answer, error) {
	if p.invalid != nil {
		return nil, model.Fail(ctx, model.Fault{Host: p.host, Err: p.invalid})
	}
	answer, fault := p.try(ctx, q, said)
	if fault == nil {
		return answer, nil
	}
	if strings.Contains(fault.Said, "stream_options") && p.plain.CompareAndSwap(false, true) {
		if answer, fault = p.try(ctx, q, said); fault == nil {
			return answer, nil
		}
	}
	return nil, model.Fail(ctx, *fault)
}

func (p *Provider) try(ctx context.Context, q *model.Request, said func(string)) (*model.Answer, *model.Fault) {
	var res *http.Response
	stream := p.chat.NewStreaming(ctx, request(q, !p.plain.Load()), option.WithResponseInto(&res))
	defer stream.Close()
	if err := stream.Err(); err != nil || res != nil && res.StatusCode >= 300 {
		return nil, p.refused(res, err)
	}
	r := reading{said: said}
	for stream.Next() {
		if err := r.chunk(stream.Current()); err != nil {
			return nil, p.broken(res, err)
		}
	}
	if r.finish == "" {
		return nil, p.broken(res, stream.Err())
	}
	return r.answer(q.Model), nil
}

// refused explains an answer that is no stream.
func (p *Provider) refused(res *http.Response, err error) *model.Fault {
	f := &model.Fault{Host: p.host, Response: res, Err: err, Secrets: p.secrets}
	if e := (*sdk.Error)(nil); errors.As(err, &e) {
		f.Kind, f.Said = kind(e.Code, e.Type), e.Message
	}
	if f.Said == "" && res != nil && res.Body != nil {
		body, _ := io.ReadAll(io.LimitReader(res.Body, 4<<10))
		f.Said = string(body)
	}
	return f
}

// broken explains a stream that did not end as it should.
func (p *Provider) broken(res *http.Response, err error) *model.Fault {
	f := &model.Fault{Host: p.host, Response: res, Broken: true, Err: err, Secrets: p.secrets}
	var e *ssestream.StreamError
	if !errors.As(err, &e) {
		return f
	}
	var event struct {
		Error json.RawMessage `json:"error"`
	}
	_ = json.Unmarshal(e.Event.Data, &event)
	var detail struct {
		Message string `json:"message"`
		Type    string `json:"type"`
		Code    any    `json:"code"`
	}
	if json.Unmarshal(event.Error, &detail) != nil || detail.Message == "" {
		f.Said = string(event.Error)
		return f
	}
	code, _ := detail.Code.(string)
	f.Kind, f.Said = kind(code, detail.Type), detail.Message
	return f
}

// kind is the more telling one of an error's two words.
func kind(code, typ string) string {
	if code != "" {
		return code
	}
	return typ
}
