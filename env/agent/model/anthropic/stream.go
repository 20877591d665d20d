package anthropic

import (
	"cmp"
	"encoding/json"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/reeverun/reeve/env/agent/model"
	"github.com/reeverun/reeve/process"
)

// reading puts an answer together. The SDK's own way to do that copies all that
// was said for each piece, and makes an empty object of arguments that are
// garbage, which would then be called.
type reading struct {
	said   func(string)
	name   string // of the model
	used   sdk.Usage
	reason sdk.StopReason
	blocks []*block
	over   bool
}

func (r *reading) event(e sdk.MessageStreamEventUnion) error {
	switch e.Type {
	case "message_start":
		r.name, r.used = e.Message.Model, e.Message.Usage
	case "message_delta":
		r.reason = e.Delta.StopReason
		r.update(&e.Usage)
	case "content_block_start":
		return r.start(e.Index, e.ContentBlock.RawJSON())
	case "content_block_delta":
		return r.add(e.Index, &e.Delta)
	case "message_stop":
		r.over = true
	}
	return nil
}

// update takes over counts, which are of the whole message; those that are left
// out stay as they were.
func (r *reading) update(u *sdk.MessageDeltaUsage) {
	r.used.OutputTokens = u.OutputTokens
	if u.JSON.InputTokens.Valid() {
		r.used.InputTokens = u.InputTokens
	}
	if u.JSON.CacheCreationInputTokens.Valid() {
		r.used.CacheCreationInputTokens = u.CacheCreationInputTokens
	}
	if u.JSON.CacheReadInputTokens.Valid() {
		r.used.CacheReadInputTokens = u.CacheReadInputTokens
	}
}

// usage is what is known so far. The protocol counts apart what its cache took
// or gave.
func (r *reading) usage() model.Usage {
	u := r.used
	return model.Usage{
		Input:  model.Plus(u.InputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens),
		Cached: u.CacheReadInputTokens, Written: u.CacheCreationInputTokens, Output: u.OutputTokens,
	}.Believed()
}

func (r *reading) answer(asked string) *model.Answer {
	a := &model.Answer{Finish: finish(r.reason), Model: cmp.Or(r.name, asked), Usage: r.usage()}
	var e extra
	var text strings.Builder
	for _, b := range r.blocks {
		switch b.Type {
		case "text":
			text.WriteString(b.text.String())
		case "tool_use":
			a.Calls = append(a.Calls, process.MessageCall{ID: b.ID, Name: b.Name, Arguments: b.arguments()})
		default:
			e.Anthropic = append(e.Anthropic, b.whole())
		}
	}
	a.Text = text.String()
	if len(e.Anthropic) > 0 {
		a.Extra, _ = json.Marshal(e)
	}
	return a
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
