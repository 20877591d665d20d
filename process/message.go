package process

import (
	"encoding/json"
	"time"
)

// Role says who speaks in a transcript.
type Role string

// The roles.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"    // the answer to a call
	RoleSummary   Role = "summary" // stands for what it replaces, in what the model is shown
)

// Message is one message of an agent's transcript. It is stored once, and does
// not change.
type Message struct {
	Number int64     `json:"number"` // from 1, in the order of the transcript; given by the host
	Run    int       `json:"run"`    // given by the host
	Step   int       `json:"step"`   // 0: before the first
	At     time.Time `json:"at"`     // given by the host
	Role   Role      `json:"role"`
	Text   string    `json:"text"`

	Calls  []MessageCall `json:"calls,omitempty"`  // of an assistant: the tools it asks for
	CallID string        `json:"callId,omitempty"` // of a tool: what it answers
	Name   string        `json:"name,omitempty"`   // of a tool
	Failed bool          `json:"failed,omitempty"` // of a tool: the text is an error

	Model  string         `json:"model,omitempty"`  // of an assistant
	Finish string         `json:"finish,omitempty"` // of an assistant: why it stopped
	Tokens *MessageTokens `json:"tokens,omitempty"`
	// CostUSD is nil where the model's prices are not known.
	CostUSD *float64 `json:"costUsd,omitempty"`

	Replaces int64 `json:"replaces,omitempty"` // of a summary: it stands for all up to this number
	// Extra is what the provider needs back to go on, in its own form.
	Extra json.RawMessage `json:"extra,omitempty"`
}

// MessageCall is a tool call that a model asks for.
type MessageCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// MessageTokens is what a message took.
type MessageTokens struct {
	Input  int64 `json:"input"`
	Cached int64 `json:"cached"` // of the input
	Output int64 `json:"output"`
}
