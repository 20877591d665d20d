package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxNesting bounds how deep parameters and schemas may be nested: validators
// and generators recurse.
const maxNesting = 256

// schema checks values. A nil schema accepts every object.
type schema struct {
	compiled *jsonschema.Schema
}

// compileSchema reads a JSON Schema. It reads nothing else: references to other
// documents are errors.
func compileSchema(raw json.RawMessage) (s *schema, err error) {
	if len(raw) == 0 {
		return nil, nil
	}
	defer func() { // a schema is foreign input to a library
		if p := recover(); p != nil {
			s, err = nil, fmt.Errorf("the schema cannot be read: %v", p)
		}
	}()
	doc, err := decode(raw)
	if err != nil {
		return nil, fmt.Errorf("the schema is not JSON: %w", err)
	}
	// Most schemas that do not say their draft fit the newest; "items" lists
	// and boolean exclusive bounds are of the older ones.
	for _, draft := range []*jsonschema.Draft{jsonschema.Draft2020, jsonschema.Draft7, jsonschema.Draft4} {
		compiled, failed := compileDraft(doc, draft)
		if failed == nil {
			return &schema{compiled}, nil
		}
		if err == nil {
			err = failed
		}
	}
	return nil, fmt.Errorf("the schema is not valid: %s", Clip(err.Error(), 500))
}

func compileDraft(doc any, draft *jsonschema.Draft) (*jsonschema.Schema, error) {
	const name = "tool:///params"
	c := jsonschema.NewCompiler()
	c.DefaultDraft(draft)
	c.UseLoader(nowhere{})
	c.UseRegexpEngine(compileRegexp)
	if err := c.AddResource(name, doc); err != nil {
		return nil, err
	}
	return c.Compile(name)
}

// nowhere loads nothing: a schema cannot make the host read files.
type nowhere struct{}

func (nowhere) Load(string) (any, error) {
	return nil, errors.New("schemas may not refer to other documents")
}

// compileRegexp reads a pattern. Schemas are written for JavaScript's
// expressions; what Go cannot read is left to the tool to check.
func compileRegexp(pattern string) (jsonschema.Regexp, error) {
	if re, err := regexp.Compile(pattern); err == nil {
		return re, nil
	}
	return anyText(pattern), nil
}

type anyText string

func (anyText) MatchString(string) bool { return true }
func (p anyText) String() string        { return string(p) }

// check validates parameters; the error is a sentence that names the path.
func (s *schema) check(params json.RawMessage) (err error) {
	value, err := decode(params)
	if err != nil {
		return fmt.Errorf("params: %w", err)
	}
	if s == nil {
		if _, object := value.(map[string]any); !object {
			return fmt.Errorf("params: expected an object, got %s", typeName(value))
		}
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("params: cannot be checked: %v", p)
		}
	}()
	if err := s.compiled.Validate(value); err != nil {
		return errors.New(explain(err))
	}
	return nil
}

// decode reads one JSON value for a validator: nested within bounds and with
// numbers that are exact integers or floats, since an exponent can make an exact
// number as large as memory.
func decode(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, errors.New("it is not JSON")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("it is more than one JSON value")
	}
	return tame(v, 0)
}

func tame(v any, depth int) (any, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("it is nested more than %d levels deep", maxNesting)
	}
	var err error
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			if v[k], err = tame(v[k], depth+1); err != nil {
				return nil, err
			}
		}
	case []any:
		for i := range v {
			if v[i], err = tame(v[i], depth+1); err != nil {
				return nil, err
			}
		}
	case json.Number:
		if _, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return v, nil
		}
		f, err := v.Float64()
		if err != nil {
			return nil, errors.New("it holds a number that is out of range")
		}
		return f, nil
	}
	return v, nil
}

func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "number"
}
