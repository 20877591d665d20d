package api

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/reeverun/reeve/process"
)

// wrongType does not quote the value: it may be a secret.
func wrongType(path string, v any, want string) error {
	kind := "an object"
	switch v := v.(type) {
	case nil:
		kind = "null"
	case bool:
		kind = strconv.FormatBool(v)
	case float64:
		kind = "a number"
	case string:
		kind = "a string"
	case []any:
		kind = "a list"
	}
	return process.Invalid(cmp.Or(path, "body"), "is %s: want %s", kind, want)
}

func unknownField(t reflect.Type, fields map[string]reflect.StructField, path, name string) error {
	for known := range fields {
		if strings.EqualFold(known, name) {
			return process.Invalid(join(path, shorten(name)), "is not a field: did you mean %s?", known)
		}
	}
	if t == reflect.TypeFor[Child]() { // a supervisor decides about these
		for _, refused := range []string{"autorun", "block", "parent"} {
			delete(fields, refused)
		}
	}
	return process.Invalid(join(path, shorten(name)), "is not a field here: want one of %s",
		strings.Join(slices.Sorted(maps.Keys(fields)), ", "))
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
