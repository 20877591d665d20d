package anthropic

import (
	"encoding/json"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/reeverun/reeve/env/agent/model"
	"github.com/reeverun/reeve/process"
)

// reading puts an answer together. Arguments are kept as they were written: the
// SDK makes an empty object of garbage, which would then be called.
type reading struct {
	said    func(string)
	message sdk.Message
	args    map[int64]*strings.Builder
	over    bool
}

func (r *reading) event(e sdk.MessageStreamEventUnion) error {
	if err := r.message.Accumulate(e); err != nil {
		return err
	}
	switch e.Type {
	case "content_block_delta":
		if e.Delta.Type == "text_delta" && e.Delta.Text != "" && r.said != nil {
			r.said(e.Delta.Text)
		}
		if e.Delta.Type == "input_json_delta" {
			r.write(e.Index, e.Delta.PartialJSON)
		}
	case "message_stop":
		r.over = true
	}
	return nil
}

func (r *reading) write(index int64, piece string) {
	if r.args == nil {
		r.args = map[int64]*strings.Builder{}
	}
	if r.args[index] == nil {
		r.args[index] = &strings.Builder{}
	}
	r.args[index].WriteString(piece)
}

// usage is what is known so far. The protocol counts apart what its cache took
// or gave.
func (r *reading) usage() model.Usage {
	u := r.message.Usage
	return model.Usage{
		Input:  model.Plus(u.InputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens),
		Cached: u.CacheReadInputTokens, Written: u.CacheCreationInputTokens, Output: u.OutputTokens,
	}.Believed()
}

func (r *reading) answer(asked string) *model.Answer {
	a := &model.Answer{Finish: finish(r.message.StopReason), Model: string(r.message.Model), Usage: r.usage()}
	if a.Model == "" {
		a.Model = asked
	}
	var e extra
	var text strings.Builder
	for i, block := range r.message.Content {
		switch block.Type {
		case "text":
			text.WriteString(block.Text)
		case "tool_use":
			a.Calls = append(a.Calls, process.MessageCall{ID: block.ID, Name: block.Name, Arguments: r.arguments(int64(i), block)})
		default:
			e.Anthropic = append(e.Anthropic, json.RawMessage(block.RawJSON()))
		}
	}
	a.Text = text.String()
	if len(e.Anthropic) > 0 {
		a.Extra, _ = json.Marshal(e)
	}
	return a
}

func (r *reading) arguments(index int64, block sdk.ContentBlockUnion) json.RawMessage {
	if written := r.args[index]; written != nil {
		return model.Arguments(written.String())
	}
	return model.Arguments(string(block.Input)) // some servers send them whole
}

func finish(reason sdk.StopReason) string {
	switch reason {
	case sdk.StopReasonEndTurn, sdk.StopReasonStopSequence:
		return model.FinishStop
	case sdk.StopReasonToolUse:
		return model.FinishCalls
	case sdk.StopReasonMaxTokens, "model_context_window_exceeded":
		return model.FinishLength
	case sdk.StopReasonRefusal:
		return model.FinishRefused
	}
	return string(reason)
}
