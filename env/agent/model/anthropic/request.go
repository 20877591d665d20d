package anthropic

import (
	"cmp"
	"encoding/json"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/reeverun/reeve/env/agent/model"
	"github.com/reeverun/reeve/process"
)

// maxTokens is of an answer for which nobody set a limit: the protocol has none
// without.
const maxTokens = 8192

// request is a question on the wire. What comes before the end of the
// conversation is marked to be cached: an agent sends it again with each step.
func request(q *model.Request) sdk.MessageNewParams {
	p := sdk.MessageNewParams{Model: q.Model, MaxTokens: cmp.Or(q.MaxTokens, maxTokens)}
	if q.System != "" {
		p.System = []sdk.TextBlockParam{{Text: q.System, CacheControl: sdk.NewCacheControlEphemeralParam()}}
	}
	for i := range q.Messages {
		role, blocks := content(&q.Messages[i])
		if n := len(p.Messages); n > 0 && p.Messages[n-1].Role == role { // the answers to one message's calls are one message
			p.Messages[n-1].Content = append(p.Messages[n-1].Content, blocks...)
			continue
		}
		p.Messages = append(p.Messages, sdk.MessageParam{Role: role, Content: blocks})
	}
	cacheLast(p.Messages)
	for _, t := range q.Tools {
		p.Tools = append(p.Tools, tool(t))
	}
	return p
}

func cacheLast(messages []sdk.MessageParam) {
	if len(messages) == 0 {
		return
	}
	blocks := messages[len(messages)-1].Content
	if len(blocks) == 0 {
		return
	}
	switch last := blocks[len(blocks)-1]; {
	case last.OfText != nil:
		last.OfText.CacheControl = sdk.NewCacheControlEphemeralParam()
	case last.OfToolResult != nil:
		last.OfToolResult.CacheControl = sdk.NewCacheControlEphemeralParam()
	}
}

func content(m *process.Message) (sdk.MessageParamRole, []sdk.ContentBlockParamUnion) {
	switch m.Role {
	case process.RoleAssistant:
		return sdk.MessageParamRoleAssistant, assistant(m)
	case process.RoleTool:
		return sdk.MessageParamRoleUser, []sdk.ContentBlockParamUnion{sdk.NewToolResultBlock(m.CallID, visible(m.Text), m.Failed)}
	default:
		return sdk.MessageParamRoleUser, []sdk.ContentBlockParamUnion{sdk.NewTextBlock(visible(m.Text))}
	}
}

// visible is a text that the protocol takes: it knows no empty ones.
func visible(text string) string {
	if strings.TrimSpace(text) == "" {
		return "(empty)"
	}
	return text
}

func assistant(m *process.Message) (blocks []sdk.ContentBlockParamUnion) {
	for _, raw := range kept(m.Extra) {
		blocks = append(blocks, param.Override[sdk.ContentBlockParamUnion](raw))
	}
	if strings.TrimSpace(m.Text) != "" {
		blocks = append(blocks, sdk.NewTextBlock(m.Text))
	}
	for _, c := range m.Calls {
		blocks = append(blocks, sdk.NewToolUseBlock(c.ID, model.Object(c.Arguments), c.Name))
	}
	if len(blocks) == 0 {
		blocks = append(blocks, sdk.NewTextBlock(visible("")))
	}
	return blocks
}

// tool is passed on as raw JSON: its schema is the tool's own, to the letter.
func tool(t model.Tool) sdk.ToolUnionParam {
	raw, _ := json.Marshal(struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		InputSchema json.RawMessage `json:"input_schema"`
	}{t.Name, t.Description, t.Params})
	return param.Override[sdk.ToolUnionParam](json.RawMessage(raw))
}

// extra is what this package keeps in a message; see process.Message. They are
// the blocks that come before text and calls: thoughts, with their signatures.
type extra struct {
	Anthropic []json.RawMessage `json:"anthropic"`
}

func kept(raw json.RawMessage) []json.RawMessage {
	var e extra
	_ = json.Unmarshal(raw, &e) // another provider's has none
	return e.Anthropic
}
