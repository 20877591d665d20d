package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/reeverun/reeve/process"
)

// Decode reads JSON into v, a pointer to one of the bodies of this package, and
// refuses what the body does not have. The error is a *process.Error that names
// the field by its path, such as children[2].restart. A null is as good as
// leaving an optional field out.
func Decode(b []byte, v any) error {
	var raw any
	if err := json.Unmarshal(b, &raw); err != nil {
		return malformed(err)
	}
	if err := check(reflect.TypeOf(v).Elem(), "", "", raw); err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return malformed(err)
	}
	return nil
}

func malformed(err error) error {
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		return process.Invalid("body", "is not JSON: %v (at byte %d)", syntax, syntax.Offset)
	}
	return process.Invalid("body", "cannot be read: %v", err)
}

// check holds a value, as encoding/json reads it, against a type and the tags of
// the field that has it.
func check(t reflect.Type, tag reflect.StructTag, path string, v any) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if _, ok := reflect.New(t).Interface().(json.Unmarshaler); ok {
		return checkMillis(t, tag, path, v)
	}
	switch t.Kind() {
	case reflect.Struct:
		return checkStruct(t, path, v)
	case reflect.Map:
		return checkMap(t, path, v)
	case reflect.Slice:
		return checkSlice(t, tag, path, v)
	case reflect.String:
		return checkString(tag, path, v)
	case reflect.Bool:
		if _, ok := v.(bool); !ok {
			return wrongType(path, v, "true or false")
		}
	default:
		return checkNumber(t, tag, path, v)
	}
	return nil
}

func checkStruct(t reflect.Type, path string, v any) error {
	m, ok := v.(map[string]any)
	if !ok {
		return wrongType(path, v, "an object")
	}
	fields := fieldsOf(t)
	for _, name := range slices.Sorted(maps.Keys(m)) { // the same error each time
		f, known := fields[name]
		switch {
		case !known:
			return unknownField(t, fields, path, name)
		case m[name] == nil:
			continue
		}
		if err := check(f.Type, f.Tag, join(path, name), m[name]); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if tag := fields[name].Tag.Get("json"); m[name] == nil && !strings.Contains(tag, ",omit") {
			return process.Invalid(join(path, name), "is missing")
		}
	}
	return nil
}

// fieldsOf returns the fields of a struct by their names in JSON.
func fieldsOf(t reflect.Type) map[string]reflect.StructField {
	fields := map[string]reflect.StructField{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && (fields[name].Name == "" || len(f.Index) < len(fields[name].Index)) {
			fields[name] = f
		}
	}
	return fields
}

func checkMap(t reflect.Type, path string, v any) error {
	m, ok := v.(map[string]any)
	if !ok {
		return wrongType(path, v, "an object")
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if err := check(t.Elem(), "", join(path, name), m[name]); err != nil {
			return err
		}
	}
	return nil
}

func checkSlice(t reflect.Type, tag reflect.StructTag, path string, v any) error {
	if t.Elem().Kind() == reflect.Uint8 {
		if _, ok := v.(string); !ok {
			return wrongType(path, v, "a string")
		}
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		return wrongType(path, v, "a list")
	}
	if n, ok := bound(tag, "minItems"); ok && len(list) < int(n) {
		return process.Invalid(path, "has %d items: want at least %v", len(list), n)
	}
	if n, ok := bound(tag, "maxItems"); ok && len(list) > int(n) {
		return process.Invalid(path, "has %d items: want at most %v", len(list), n)
	}
	for i, item := range list {
		if err := check(t.Elem(), "", fmt.Sprintf("%s[%d]", path, i), item); err != nil {
			return err
		}
	}
	return nil
}

func checkString(tag reflect.StructTag, path string, v any) error {
	text, ok := v.(string)
	if !ok {
		return wrongType(path, v, "a string")
	}
	if all := tag.Get("enum"); all != "" && !slices.Contains(strings.Split(all, ","), text) {
		return process.Invalid(path, "%q is not possible: want %s", shorten(text), strings.ReplaceAll(all, ",", ", "))
	}
	if n, ok := bound(tag, "minLength"); ok && len(text) < int(n) {
		return process.Invalid(path, "is empty")
	}
	if n, ok := bound(tag, "maxLength"); ok && utf8.RuneCountInString(text) > int(n) {
		return process.Invalid(path, "is %d characters long: want at most %v", utf8.RuneCountInString(text), n)
	}
	return nil
}

func checkNumber(t reflect.Type, tag reflect.StructTag, path string, v any) error {
	n, ok := v.(float64)
	if !ok {
		return wrongType(path, v, "a number")
	}
	if t.Kind() != reflect.Float64 && (n != math.Trunc(n) || math.Abs(n) > 1<<53) {
		return process.Invalid(path, "%v is not possible: want a whole number", n)
	}
	return inBounds(tag, path, n)
}

// checkMillis checks a number of milliseconds, or a duration.
func checkMillis(t reflect.Type, tag reflect.StructTag, path string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return process.Invalid(path, "cannot be read: %v", err)
	}
	_, isText := v.(string)
	if n, ok := v.(float64); !isText && (!ok || n != math.Trunc(n)) {
		return wrongType(path, v, "a whole number of milliseconds, or a duration such as 5s")
	}
	value := reflect.New(t)
	if err := value.Interface().(json.Unmarshaler).UnmarshalJSON(b); err != nil {
		return process.Invalid(path, "%v", err)
	}
	return inBounds(tag, path, float64(value.Elem().FieldByName("N").Int()))
}

func inBounds(tag reflect.StructTag, path string, n float64) error {
	if least, ok := bound(tag, "minimum"); ok && n < least {
		return process.Invalid(path, "%v is too small: want at least %v", n, least)
	}
	if most, ok := bound(tag, "maximum"); ok && n > most {
		return process.Invalid(path, "%v is too large: want at most %v", n, most)
	}
	return nil
}

func bound(tag reflect.StructTag, name string) (float64, bool) {
	n, err := strconv.ParseFloat(tag.Get(name), 64)
	return n, err == nil
}
