package tool

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestSchemaMessages(t *testing.T) {
	const pet = `{"type":"object","properties":{
		"name":{"type":"string","minLength":2},
		"kind":{"enum":["cat","dog"]},
		"age":{"type":"integer","minimum":0,"maximum":30},
		"tags":{"type":"array","items":{"type":"string"},"maxItems":2,"uniqueItems":true},
		"owner":{"$ref":"#/$defs/owner"},
		"either":{"anyOf":[{"type":"string"},{"type":"number"}]},
		"shape":{"oneOf":[{"type":"object","required":["r"],"properties":{"r":{"type":"number"}}},{"type":"string"}]}},
		"required":["name"],"additionalProperties":false,
		"$defs":{"owner":{"type":"object","properties":{"a b":{"type":"boolean"}},"required":["a b"]}}}`
	s, err := compileSchema(json.RawMessage(pet))
	if err != nil {
		t.Fatal(err)
	}
	for params, want := range map[string]string{
		`{"name":"Rex"}`:                       "",
		`{"name":"Rex","age":3.0}`:             "",
		`{}`:                                   `params: lacks "name"`,
		`[]`:                                   `params: expected object, got array`,
		`{"name":5}`:                           `params.name: expected string, got number`,
		`{"name":"R"}`:                         `params.name: expected at least 2 characters, got 1`,
		`{"name":"Rex","kind":"secret-value"}`: `params.kind: expected one of "cat", "dog"`,
		`{"name":"Rex","age":-1}`:              `params.age: expected at least 0`,
		`{"name":"Rex","age":1.5}`:             `params.age: expected integer, got number`,
		`{"name":"Rex","age":1e300}`:           `params.age: expected at most 30`,
		`{"name":"Rex","age":1e999999999}`:     `params: it holds a number that is out of range`,
		`{"name":"Rex","tags":["a",1]}`:        `params.tags[1]: expected string, got number`,
		`{"name":"Rex","tags":["a","a"]}`:      `params.tags: items 0 and 1 are equal`,
		`{"name":"Rex","nmae":1}`:              `params: does not know "nmae"`,
		`{"name":"Rex","owner":{"a b":1}}`:     `params.owner["a b"]: expected boolean, got number`,
		`{"name":"Rex","either":true}`:         `params.either: expected string or number, got boolean`,
		`{"name":"Rex","shape":{}}`:            `params.shape: lacks "r"`,
		`{"name":"Rex"} {}`:                    `params: it is more than one JSON value`,
		`{"name":`:                             `params: it is not JSON`,
		`{"name":1,"kind":2}`:                  `params.kind: expected one of "cat", "dog"`,
		strings.Repeat("[", 500):               `params: it is not JSON`,
		strings.Repeat("[", 500) + strings.Repeat("]", 500): `params: it is nested more than 256 levels deep`,
	} {
		err := s.check(json.RawMessage(params))
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", params, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%.60s: got %v, want %s", params, err, want)
		case err != nil && strings.Contains(err.Error(), "secret-value"):
			t.Errorf("%v repeats a value", err)
		}
	}
}

func TestNoSchemaWantsAnObject(t *testing.T) {
	s, err := compileSchema(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.check(json.RawMessage(`{"any":1}`)); err != nil {
		t.Error(err)
	}
	if err := s.check(json.RawMessage(`3`)); err == nil || err.Error() != "params: expected an object, got number" {
		t.Error(err)
	}
}

func TestSchemasOfOlderDrafts(t *testing.T) {
	for _, raw := range []string{
		`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"type":"array","items":[{"type":"string"}]}}}`,
		`{"type":"object","properties":{"a":{"type":"array","items":[{"type":"string"}]}}}`,
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}},"n":{"type":"number","minimum":1,"exclusiveMinimum":true}}}`,
	} {
		s, err := compileSchema(json.RawMessage(raw))
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if err := s.check(json.RawMessage(`{"a":[1]}`)); err == nil {
			t.Errorf("%s accepts a number", raw)
		}
	}
}

// A schema makes the host neither read files nor fetch anything, nor use up its
// memory.
func TestHostileSchemas(t *testing.T) {
	for name, raw := range map[string]string{
		"file":           `{"$ref":"file:///etc/passwd"}`,
		"web":            `{"$ref":"http://127.0.0.1:1/schema"}`,
		"meta schema":    `{"$schema":"http://127.0.0.1:1/meta"}`,
		"relative":       `{"$ref":"other.json"}`,
		"number":         `{"minimum":1e999999999}`,
		"not JSON":       `{`,
		"wrong keywords": `{"type":"file","properties":3}`,
		"nested":         strings.Repeat(`{"items":`, 400) + "{}" + strings.Repeat("}", 400),
	} {
		if s, err := compileSchema(json.RawMessage(raw)); err == nil {
			t.Errorf("%s: compiled to %v", name, s)
		}
	}
	cycle, err := compileSchema(json.RawMessage(`{"$ref":"#"}`))
	if err == nil {
		_ = cycle.check(json.RawMessage(`{}`)) // returns
	}
	lookahead, err := compileSchema(json.RawMessage(`{"properties":{"a":{"pattern":"^(?!x)"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := lookahead.check(json.RawMessage(`{"a":"x"}`)); err != nil {
		t.Errorf("a pattern that Go cannot read is the tool's to check: %v", err)
	}
}
