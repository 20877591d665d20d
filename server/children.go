package server

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/tool"
)

// Specs makes a Spec of what is asked for by the body of POST /processes.
// environment is for those who name none.
func Specs(environment string) api.Specs {
	return api.Specs{Environment: environment, Pattern: tool.CheckPattern}
}

// Children returns what makes a Spec of the body by which a running program
// asks for a child process. It is the body of POST /processes, checked in the
// same way, without what makes no sense there: a child is below the program
// that asks, runs at once, and is awaited by other means.
func Children(environment string) func(body json.RawMessage) (process.Spec, error) {
	reg := newRegistry()
	d := &description{spec: &huma.OpenAPI{Components: &huma.Components{Schemas: reg}}}
	r := &route{bodySchema: reg.Schema(typeOf[api.Create](), true, "")}
	s := Specs(environment)
	return func(body json.RawMessage) (process.Spec, error) {
		var b api.Create
		if err := d.decode(r, body, &b); err != nil {
			return process.Spec{}, err
		}
		switch {
		case b.Parent != 0:
			return process.Spec{}, process.Invalid("parent", "cannot be chosen here: a child is below the program that starts it")
		case b.Block:
			return process.Spec{}, process.Invalid("block", "is not possible here: wait for the child instead")
		case b.Autorun != nil && !*b.Autorun:
			return process.Spec{}, process.Invalid("autorun", "cannot be false here: a child runs at once")
		case b.Notify != nil: // or a program without a network could speak to anybody
			return process.Spec{}, process.Invalid("notify", "is not possible here: wait for the child instead")
		}
		return s.Make(&b)
	}
}
