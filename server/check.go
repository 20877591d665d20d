package server

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/reeverun/reeve/process"
)

// check holds a value, as encoding/json reads it, against a schema. It knows
// what the schemas of package api use, and says which field is wrong and what
// it should be. A null is as good as leaving an optional field out.
func (d *description) check(s *huma.Schema, path string, v any) error {
	for s.Ref != "" {
		s = d.spec.Components.Schemas.SchemaFromRef(s.Ref)
	}
	switch s.Type {
	case huma.TypeObject:
		return d.checkObject(s, path, v)
	case huma.TypeArray:
		return d.checkArray(s, path, v)
	case huma.TypeString:
		return checkString(s, path, v)
	case huma.TypeInteger:
		return checkInteger(s, path, v)
	case huma.TypeBoolean:
		if _, ok := v.(bool); !ok {
			return wrongType(path, v, "true or false")
		}
	}
	return nil
}

func (d *description) checkObject(s *huma.Schema, path string, v any) error {
	m, ok := v.(map[string]any)
	if !ok {
		return wrongType(path, v, "an object")
	}
	for _, name := range s.Required {
		if m[name] == nil {
			return process.Invalid(join(path, name), "is missing")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m)) { // the same error each time
		value := m[name]
		field, known := s.Properties[name]
		if !known {
			values, isMap := s.AdditionalProperties.(*huma.Schema)
			if !isMap {
				return unknownField(s, path, name)
			}
			if err := d.check(values, join(path, name), value); err != nil {
				return err
			}
			continue
		}
		if value == nil {
			continue
		}
		if err := d.check(field, join(path, name), value); err != nil {
			return err
		}
	}
	return nil
}

func (d *description) checkArray(s *huma.Schema, path string, v any) error {
	list, ok := v.([]any)
	if !ok {
		return wrongType(path, v, "a list")
	}
	if s.MaxItems != nil && len(list) > *s.MaxItems {
		return process.Invalid(path, "has %d items: want at most %d", len(list), *s.MaxItems)
	}
	for i, item := range list {
		if err := d.check(s.Items, fmt.Sprintf("%s[%d]", path, i), item); err != nil {
			return err
		}
	}
	return nil
}

func checkString(s *huma.Schema, path string, v any) error {
	text, ok := v.(string)
	if !ok {
		return wrongType(path, v, "a string")
	}
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, v) {
		return process.Invalid(path, "%q is not possible: want %s", shorten(text), oneOf(s.Enum))
	}
	if s.MinLength != nil && len(text) < *s.MinLength {
		return process.Invalid(path, "is empty")
	}
	if s.MaxLength != nil && utf8.RuneCountInString(text) > *s.MaxLength {
		return process.Invalid(path, "is %d characters long: want at most %d", utf8.RuneCountInString(text), *s.MaxLength)
	}
	if s.ContentEncoding == "base64" {
		if _, err := base64.StdEncoding.DecodeString(text); err != nil {
			return process.Invalid(path, "is not base64")
		}
	}
	return nil
}

func checkInteger(s *huma.Schema, path string, v any) error {
	n, ok := v.(float64)
	if !ok || n != math.Trunc(n) {
		return wrongType(path, v, "a whole number")
	}
	if s.Minimum != nil && n < *s.Minimum {
		return process.Invalid(path, "%v is too small: want at least %v", n, *s.Minimum)
	}
	if math.Abs(n) > 1<<53 {
		return process.Invalid(path, "%v is too large", n)
	}
	return nil
}

func wrongType(path string, v any, want string) error {
	kind := kindOf(v)
	if n, ok := v.(float64); ok && want == "a whole number" { // elsewhere it may be a secret
		kind = fmt.Sprintf("the number %v", n)
	}
	return process.Invalid(cmp.Or(path, "body"), "is %s: want %s", kind, want)
}

func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return "a number"
	case string:
		return "a string"
	case []any:
		return "a list"
	}
	return "an object"
}

func unknownField(s *huma.Schema, path, name string) error {
	for known := range s.Properties {
		if strings.EqualFold(known, name) {
			return process.Invalid(join(path, shorten(name)), "is not a field: did you mean %s?", known)
		}
	}
	return process.Invalid(join(path, shorten(name)), "is not a field here: want one of %s",
		strings.Join(slices.Sorted(maps.Keys(s.Properties)), ", "))
}

func oneOf(values []any) string {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = fmt.Sprint(v)
	}
	return strings.Join(names, ", ")
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// shorten keeps a client's text from filling an error.
func shorten(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// size is a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
