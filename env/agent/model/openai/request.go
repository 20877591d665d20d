package openai

import (
	"encoding/json"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"github.com/reeverun/reeve/env/agent/model"
	"github.com/reeverun/reeve/process"
)

// request is a question on the wire.
func request(q *model.Request, usage bool) sdk.ChatCompletionNewParams {
	p := sdk.ChatCompletionNewParams{Model: q.Model, Messages: []sdk.ChatCompletionMessageParamUnion{}}
	if usage {
		p.StreamOptions.IncludeUsage = sdk.Bool(true)
	}
	if q.MaxTokens > 0 {
		p.MaxCompletionTokens = sdk.Int(q.MaxTokens)
	}
	if q.System != "" {
		p.Messages = append(p.Messages, sdk.SystemMessage(q.System))
	}
	for i := range q.Messages {
		p.Messages = append(p.Messages, message(&q.Messages[i]))
	}
	for _, t := range q.Tools {
		p.Tools = append(p.Tools, tool(t))
	}
	return p
}

func message(m *process.Message) sdk.ChatCompletionMessageParamUnion {
	switch m.Role {
	case process.RoleAssistant:
		return assistant(m)
	case process.RoleTool:
		text := m.Text
		if m.Failed {
			text = "Error: " + text
		}
		return sdk.ToolMessage(text, m.CallID)
	default:
		return sdk.UserMessage(m.Text)
	}
}

func assistant(m *process.Message) sdk.ChatCompletionMessageParamUnion {
	a := &sdk.ChatCompletionAssistantMessageParam{}
	if m.Text != "" || len(m.Calls) == 0 {
		a.Content.OfString = param.NewOpt(m.Text)
	}
	kept := kept(m.Extra)
	for i, c := range m.Calls {
		call := &sdk.ChatCompletionMessageFunctionToolCallParam{ID: c.ID}
		call.Function.Name, call.Function.Arguments = c.Name, string(model.Object(c.Arguments))
		if i < len(kept) && len(kept[i]) > 0 {
			call.SetExtraFields(map[string]any{extraContent: kept[i]})
		}
		a.ToolCalls = append(a.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{OfFunction: call})
	}
	return sdk.ChatCompletionMessageParamUnion{OfAssistant: a}
}

// tool is passed on as raw JSON: its schema is the tool's own, to the letter.
func tool(t model.Tool) sdk.ChatCompletionToolUnionParam {
	type function struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	raw, _ := json.Marshal(struct {
		Type     string   `json:"type"`
		Function function `json:"function"`
	}{"function", function{t.Name, t.Description, t.Params}})
	return param.Override[sdk.ChatCompletionToolUnionParam](json.RawMessage(raw))
}

// extraContent is where some servers put what they want back with a call, such
// as the signature of a thought.
const extraContent = "extra_content"

// extra is what this package keeps in a message; see process.Message.
type extra struct {
	OpenAI []json.RawMessage `json:"openai"` // of each call
}

func kept(raw json.RawMessage) []json.RawMessage {
	var e extra
	_ = json.Unmarshal(raw, &e) // another provider's has none
	return e.OpenAI
}
