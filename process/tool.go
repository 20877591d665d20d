package process

import "encoding/json"

// ToolCall is one call of a tool by a run.
type ToolCall struct {
	Process ID
	Run     int
	Service string
	Tool    string
	Params  json.RawMessage // one JSON value; empty: none
	// Allowed are the patterns the process was created with
	// (Options.Tools); they only narrow what the policy allows.
	Allowed []string
}

// Permission is what a policy says about a call.
type Permission string

// The permissions.
const (
	Allow Permission = "allow"
	Deny  Permission = "deny"
	Ask   Permission = "ask" // a person decides
)

// The codes of a [ToolError] that Reeve itself gives; adapters have their own
// beside them.
const (
	ToolNotFound    = "not_found"      // no such service or tool
	ToolInvalid     = "invalid_params" // the parameters do not match the schema
	ToolDenied      = "denied"         // by the policy or by a person
	ToolExpired     = "expired"        // nobody decided in time
	ToolUnavailable = "unavailable"    // the adapter cannot reach what it adapts
	ToolTimeout     = "timeout"        // the call took too long
	ToolFailed      = "failed"         // the tool answered with an error
	ToolCanceled    = "canceled"       // the run ended, or gave the call up
)

// ToolError is why a call failed, in words for the program that called.
type ToolError struct {
	Code    string
	Message string
}

// Error returns the message.
func (e *ToolError) Error() string { return e.Message }
