// Package function makes tools of Go functions.
//
//	greetings := function.New("Greets people.",
//		function.Typed("hello", "Says hello.", func(ctx context.Context, in struct {
//			Name string `json:"name" jsonschema:"whom to greet"`
//		}) (string, error) {
//			return "hello " + in.Name, nil
//		}))
//	err := registry.Add("greetings", greetings)
//
// Functions run in the host, side by side, with the context of the call. An
// error becomes the program's: a *process.ToolError as it is, any other with
// the code "failed" and its text. A panic is an error, too.
package function

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/tool"
)

// Func performs a call. Its result is marshalled as JSON.
type Func func(ctx context.Context, params json.RawMessage) (any, error)

// Tool is a tool and the function behind it.
type Tool struct {
	Name        string
	Description string
	Params      json.RawMessage // a JSON Schema; nil: any object
	Result      json.RawMessage // a JSON Schema; nil: unknown
	Fn          Func

	err error // why Typed could not make it
}

// Adapter is a service of Go functions.
type Adapter struct {
	description string
	tools       []Tool
	byName      map[string]Func
}

var _ tool.Adapter = (*Adapter)(nil)

// New makes a service of functions. What is wrong with them is said by Open.
func New(description string, tools ...Tool) *Adapter {
	a := &Adapter{description: description, tools: tools, byName: map[string]Func{}}
	for _, t := range tools {
		a.byName[t.Name] = t.Fn
	}
	return a
}

// Typed makes a tool of a function from In to Out, whose schemas are derived
// from those types: by their json tags; a field with omitempty or omitzero is
// optional, and a jsonschema tag describes it. In is a struct or a map.
func Typed[In, Out any](name, description string, fn func(ctx context.Context, in In) (Out, error)) Tool {
	t := Tool{Name: name, Description: description}
	var err error
	if t.Params, err = schemaOf[In](); err != nil {
		t.err = fmt.Errorf("derive the schema of its parameters: %w", err)
	} else if t.Result, err = schemaOf[Out](); err != nil {
		t.err = fmt.Errorf("derive the schema of its result: %w", err)
	}
	t.Fn = func(ctx context.Context, params json.RawMessage) (any, error) {
		var in In
		if err := json.Unmarshal(params, &in); err != nil {
			return nil, tool.Errorf(process.ToolInvalid, "invalid parameters for %s: %s", name, err)
		}
		return fn(ctx, in)
	}
	return t
}

// schemaOf derives a schema; nil for a type that can be anything.
func schemaOf[T any]() (json.RawMessage, error) {
	if t := reflect.TypeFor[T](); t.Kind() == reflect.Interface || t == reflect.TypeFor[json.RawMessage]() {
		return nil, nil
	}
	s, err := jsonschema.For[T](nil)
	if err != nil {
		return nil, err
	}
	return json.Marshal(s)
}

// Kind is "function".
func (a *Adapter) Kind() string { return "function" }

// Open returns the tools, or what is wrong with one of them.
func (a *Adapter) Open(context.Context) (tool.Service, error) {
	s := tool.Service{Description: a.description}
	seen := map[string]bool{}
	for _, t := range a.tools {
		switch {
		case !tool.ValidName(t.Name):
			return s, fmt.Errorf("%q cannot name a tool", t.Name)
		case seen[t.Name]:
			return s, fmt.Errorf("there are two tools %s", t.Name)
		case t.err != nil:
			return s, fmt.Errorf("the tool %s: %w", t.Name, t.err)
		case t.Fn == nil:
			return s, fmt.Errorf("the tool %s has no function", t.Name)
		}
		seen[t.Name] = true
		s.Tools = append(s.Tools, tool.Tool{Name: t.Name, Description: t.Description, Params: t.Params, Result: t.Result})
	}
	return s, nil
}

// Call calls the function.
func (a *Adapter) Call(ctx context.Context, name string, params json.RawMessage) (json.RawMessage, error) {
	fn := a.byName[name]
	if fn == nil {
		return nil, tool.Errorf(process.ToolNotFound, "there is no function %s", name)
	}
	result, err := protect(ctx, fn, params)
	if err != nil {
		var said *process.ToolError
		if errors.As(err, &said) {
			return nil, said
		}
		return nil, tool.Errorf(process.ToolFailed, "%s", err)
	}
	out, err := json.Marshal(result)
	if err != nil {
		return nil, tool.Errorf(process.ToolFailed, "the result cannot be written as JSON: %s", err)
	}
	return out, nil
}

// protect makes an error of a panic.
func protect(ctx context.Context, fn Func, params json.RawMessage) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, fmt.Errorf("the function panicked: %v", p)
		}
	}()
	return fn(ctx, params)
}

// Close does nothing: there is nothing to close.
func (a *Adapter) Close() error { return nil }
