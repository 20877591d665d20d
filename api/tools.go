package api

import (
	"encoding/json"

	"github.com/reeverun/reeve/process"
)

// Service is something whose tools programs can call.
type Service struct {
	Name        string  `json:"name" example:"pets"`
	Description string  `json:"description"`
	Adapter     string  `json:"adapter" example:"openapi" doc:"What performs its calls: builtin, function, mcp or openapi."`
	State       string  `json:"state" enum:"ready,unavailable" doc:"An unavailable one is tried again, by itself and when it is called."`
	Error       *string `json:"error" doc:"Why it is unavailable."`
	Tools       int     `json:"tools" doc:"How many tools it has, as far as is known."`
}

// Services is what GET /services answers.
type Services struct {
	Services []Service `json:"services" nullable:"false"`
}

// Tool is something that programs can call.
type Tool struct {
	Service     string             `json:"service" example:"pets"`
	Name        string             `json:"name" example:"delete_pet"`
	Description string             `json:"description"`
	Params      json.RawMessage    `json:"params" doc:"The JSON Schema of its parameters."`
	Result      json.RawMessage    `json:"result" doc:"The JSON Schema of its result; null where that is not known."`
	Permission  process.Permission `json:"permission" enum:"allow,deny,ask" doc:"What the server's policy says; ask: a person decides about each call."`
	Declaration string             `json:"declaration" doc:"How a program calls it, in TypeScript."`
}

// Tools is what GET /tools answers.
type Tools struct {
	Tools []Tool `json:"tools" nullable:"false"`
}

// Approvals is a page of approvals.
type Approvals struct {
	Approvals  []process.Approval `json:"approvals" nullable:"false"`
	NextCursor *string            `json:"nextCursor" doc:"The cursor of the next page; null on the last one."`
}

// Decision is the body of POST /approvals/{id}/approve and deny.
type Decision struct {
	Reason string `json:"reason,omitempty" maxLength:"1024" doc:"Why; a program that is denied reads it."`
}
