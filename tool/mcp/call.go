package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/tool"
)

// Call calls a tool of the server.
func (a *Adapter) Call(ctx context.Context, name string, params json.RawMessage) (json.RawMessage, error) {
	a.mu.Lock()
	c, theirs, known := a.conn, a.names[name], a.names[name] != ""
	a.mu.Unlock()
	if c == nil || c.over() {
		return nil, fmt.Errorf("%w: the server is not connected", tool.ErrNotSent)
	}
	if !known {
		return nil, tool.Errorf(process.ToolNotFound, "the server has no tool %s", name)
	}
	res, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: theirs, Arguments: params})
	if err != nil {
		return nil, a.callError(ctx, err)
	}
	raw, err := result(res, a.secrets.Redact)
	if err != nil {
		return nil, err
	}
	return a.secrets.RedactJSON(raw), nil
}

// over reports whether the session has ended.
func (c *connection) over() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// callError says why a call has no result.
func (a *Adapter) callError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	said := a.secrets.Redact(err.Error())
	var answered *jsonrpc.Error
	switch {
	case errors.Is(err, mcp.ErrSessionMissing): // the server refused to look at it
		return fmt.Errorf("%w: the server has forgotten the session", tool.ErrNotSent)
	case errors.As(err, &answered):
		return tool.Errorf(wireCode(answered.Code), "%s", a.secrets.Redact(answered.Message))
	case errors.Is(err, mcp.ErrConnectionClosed):
		return tool.Errorf(process.ToolUnavailable, "the connection to the server was lost during the call")
	}
	return tool.Errorf(process.ToolUnavailable, "the server cannot be reached: %s", said)
}

// wireCode translates the codes of JSON-RPC.
func wireCode(code int64) string {
	switch code {
	case jsonrpc.CodeInvalidParams:
		return process.ToolInvalid
	case jsonrpc.CodeMethodNotFound:
		return process.ToolNotFound
	}
	return process.ToolFailed
}

// result makes the result of what a server sent. An error is redacted before it
// is cut, so that no part of a secret is left at the end.
func result(res *mcp.CallToolResult, redact func(string) string) (json.RawMessage, error) {
	text, plain := joined(res.Content)
	switch {
	case res.NeedsInput():
		return nil, tool.Errorf(process.ToolFailed, "the tool asks for further input, which a program cannot give")
	case res.IsError:
		if text == "" {
			text = "the tool failed without saying why"
		}
		return nil, tool.Errorf(process.ToolFailed, "%s", redact(text))
	case res.StructuredContent != nil:
		return json.Marshal(res.StructuredContent)
	case len(res.Content) == 0:
		return json.RawMessage("null"), nil
	case plain:
		return parsed(text), nil
	}
	return json.Marshal(map[string]any{"content": res.Content})
}

// joined returns the texts among the contents, and whether there is nothing
// else.
func joined(contents []mcp.Content) (string, bool) {
	var texts []string
	for _, c := range contents {
		if t, ok := c.(*mcp.TextContent); ok {
			texts = append(texts, t.Text)
		}
	}
	return strings.Join(texts, "\n"), len(texts) == len(contents)
}

// parsed reads a text that is a JSON object or list; any other is a string.
func parsed(text string) json.RawMessage {
	trimmed := strings.TrimSpace(text)
	if trimmed != "" && (trimmed[0] == '{' || trimmed[0] == '[') && json.Valid([]byte(trimmed)) {
		return json.RawMessage(trimmed)
	}
	raw, _ := json.Marshal(text)
	return raw
}
