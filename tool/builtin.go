package tool

import (
	"context"
	"encoding/json"

	"github.com/reeverun/reeve/process"
)

// Builtin is the name of the service that every registry has.
const Builtin = "reeve"

const builtinDescription = "Reeve itself: looks for tools."

func searchTool() Tool {
	return Tool{
		Name:        "search",
		Description: "Looks for tools by words in their service, name and description, and returns those this program may call, the best first.",
		Params: json.RawMessage(`{"type":"object","properties":{` +
			`"query":{"type":"string","maxLength":1000,"description":"Words to look for. Empty or absent: every tool."},` +
			`"limit":{"type":"integer","minimum":1,"maximum":100,"description":"How many at most; 20 if absent."}},` +
			`"additionalProperties":false}`),
		Result: json.RawMessage(`{"type":"object","properties":{"tools":{"type":"array","items":{"type":"object","properties":{` +
			`"service":{"type":"string"},"name":{"type":"string"},"description":{"type":"string"},` +
			`"permission":{"enum":["allow","ask"],"description":"ask: a person decides about each call."},` +
			`"declaration":{"type":"string","description":"How to call it, in TypeScript."}},` +
			`"required":["service","name","description","permission","declaration"]}},` +
			`"more":{"type":"integer","description":"How many more there are."}},"required":["tools","more"]}`),
	}
}

// found is a tool as the search shows it to a program.
type found struct {
	Service     string             `json:"service"`
	Name        string             `json:"name"`
	Description string             `json:"description"`
	Permission  process.Permission `json:"permission"`
	Declaration string             `json:"declaration"`
}

// callBuiltin performs a call of the service reeve.
func (r *Registry) callBuiltin(ctx context.Context, c process.ToolCall) (json.RawMessage, error) {
	if isSpawn(c.Service, c.Tool) {
		return object(c.Params), nil // permission was what was asked for; who asked starts it
	}
	if _, err := r.find(ctx, c.Service, c.Tool); err != nil {
		return nil, err
	}
	in := struct {
		Query string
		Limit int
	}{Limit: 20}
	if err := json.Unmarshal(object(c.Params), &in); err != nil {
		return nil, Errorf(process.ToolInvalid, "invalid parameters for %s/%s: they do not match the schema", c.Service, c.Tool)
	}
	var out struct {
		Tools []found `json:"tools"`
		More  int     `json:"more"`
	}
	out.Tools = []found{}
	for _, t := range search(r.listed(), in.Query) {
		v := r.cfg.Policy.Permission(t.service, t.Name, c.Allowed)
		switch {
		case v.Permission == process.Deny:
		case len(out.Tools) >= in.Limit:
			out.More++
		default:
			out.Tools = append(out.Tools, found{t.service, t.Name, t.Description, v.Permission, t.declaration()})
		}
	}
	return json.Marshal(out)
}
