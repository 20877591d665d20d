package openai

import (
	"encoding/json"
	"errors"
	"strings"

	sdk "github.com/openai/openai-go/v3"

	"github.com/reeverun/reeve/env/agent/model"
	"github.com/reeverun/reeve/process"
)

// maxCalls bounds the calls of one answer.
const maxCalls = 1024

// maxName is from where on the pieces of a name are not put together any more:
// no tool has one as long.
const maxName = 1 << 10

var errTooManyCalls = errors.New("it asks for too many calls at once")

// reading puts an answer together.
type reading struct {
	said    func(string)
	text    strings.Builder
	refusal strings.Builder
	calls   []*partial
	at      map[int64]*partial // the open call of an index
	finish  string
	name    string
	usage   model.Usage
}

// partial is a call whose arguments are still coming.
type partial struct {
	id, name string
	args     strings.Builder
	extra    json.RawMessage
}

func (r *reading) chunk(c sdk.ChatCompletionChunk) error {
	if c.Model != "" {
		r.name = c.Model
	}
	if u := c.Usage; max(u.PromptTokens, u.CompletionTokens) > 0 {
		r.usage = model.Usage{Input: u.PromptTokens, Cached: u.PromptTokensDetails.CachedTokens, Output: u.CompletionTokens}.Believed()
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue
		}
		if d := choice.Delta.Content; d != "" {
			r.text.WriteString(d)
			if r.said != nil {
				r.said(d)
			}
		}
		r.refusal.WriteString(choice.Delta.Refusal)
		for _, d := range choice.Delta.ToolCalls {
			if err := r.call(d); err != nil {
				return err
			}
		}
		if choice.FinishReason != "" {
			r.finish = choice.FinishReason
		}
	}
	return nil
}

// call adds a piece of a call. A new id under a known index is a new call: some
// servers count all as the first.
func (r *reading) call(d sdk.ChatCompletionChunkChoiceDeltaToolCall) error {
	p := r.at[d.Index]
	if p == nil || d.ID != "" && p.id != "" && d.ID != p.id {
		if len(r.calls) == maxCalls {
			return errTooManyCalls
		}
		if r.at == nil {
			r.at = map[int64]*partial{}
		}
		p = &partial{}
		r.at[d.Index] = p
		r.calls = append(r.calls, p)
	}
	if d.ID != "" {
		p.id = d.ID
	}
	if p.name != d.Function.Name && len(p.name) <= maxName {
		p.name += d.Function.Name
	}
	p.args.WriteString(d.Function.Arguments)
	if f, ok := d.JSON.ExtraFields[extraContent]; ok {
		p.extra = json.RawMessage(f.Raw())
	}
	return nil
}

func (r *reading) answer(asked string) *model.Answer {
	a := &model.Answer{Text: r.text.String(), Finish: r.finish, Model: r.name, Usage: r.usage}
	if a.Model == "" {
		a.Model = asked
	}
	var e extra
	keep := false
	for _, p := range r.calls {
		a.Calls = append(a.Calls, process.MessageCall{ID: p.id, Name: p.name, Arguments: model.Arguments(p.args.String())})
		e.OpenAI = append(e.OpenAI, p.extra)
		keep = keep || len(p.extra) > 0
	}
	if keep {
		a.Extra, _ = json.Marshal(e)
	}
	switch {
	case r.refusal.Len() > 0 && a.Text == "":
		a.Text, a.Finish = r.refusal.String(), model.FinishRefused
	case r.finish == "content_filter":
		a.Finish = model.FinishRefused
	case r.finish == "function_call" || len(a.Calls) > 0 && r.finish == "stop":
		a.Finish = model.FinishCalls
	}
	return a
}
