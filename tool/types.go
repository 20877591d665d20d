package tool

import (
	"encoding/json"
	"strings"
)

// The bounds of a declaration. Beyond them a type is unknown.
const (
	maxTypeDepth = 24
	maxTypeNodes = 4000
	maxUnion     = 100
)

// types translates the schemas of one tool to TypeScript. What a $ref names
// becomes a type of its own, so that cycles end and nothing is written twice.
type types struct {
	prefix string
	taken  map[string]bool // names of types, of all tools
	nodes  int

	root    any                        // the schema that references are resolved in
	refs    map[string]string          // of this root: reference → type name
	bodies  []string                   // the declarations so far
	aliases map[string]map[string]bool // which named types are made of which, not counting what stands inside objects and arrays
	alias   string                     // the named type being made, while outside any object or array
}

func newTypes(prefix string, taken map[string]bool) *types {
	return &types{prefix: prefix, taken: taken, aliases: map[string]map[string]bool{}}
}

// declarations returns the named types.
func (g *types) declarations() string { return strings.Join(g.bodies, "") }

// parameter declares the params of a method; they are optional if none of their
// properties is required.
func (g *types) parameter(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "params?: { [key: string]: unknown }"
	}
	mark := "?"
	if s, ok := g.resolved(raw).(map[string]any); !ok || len(array(s["required"])) > 0 || composed(s) {
		mark = ""
	}
	return "params" + mark + ": " + g.typeOf(raw, 3)
}

func composed(s map[string]any) bool {
	return s["oneOf"] != nil || s["anyOf"] != nil || s["allOf"] != nil
}

// resolved decodes a schema and follows references at its top.
func (g *types) resolved(raw json.RawMessage) any {
	root, err := decode(raw)
	if err != nil {
		return nil
	}
	at := root
	for range maxTypeDepth {
		s, ok := at.(map[string]any)
		if !ok {
			return at
		}
		ref, ok := s["$ref"].(string)
		if !ok {
			return at
		}
		at, _ = pointer(root, ref)
	}
	return nil
}

// typeOf translates a schema; indent is the depth of the line it stands in.
func (g *types) typeOf(raw json.RawMessage, indent int) string {
	if len(raw) == 0 {
		return "unknown"
	}
	root, err := decode(raw)
	if err != nil {
		return "unknown"
	}
	g.root, g.refs, g.alias = root, map[string]string{}, ""
	return g.of(root, indent)
}

// of translates one schema.
func (g *types) of(v any, indent int) string {
	g.nodes++
	if g.nodes > maxTypeNodes || indent > maxTypeDepth {
		return "unknown"
	}
	switch s := v.(type) {
	case bool:
		if !s {
			return "never"
		}
		return "unknown"
	case map[string]any:
		return g.schema(s, indent)
	}
	return "unknown"
}

// schema joins all that a schema says with &.
func (g *types) schema(s map[string]any, indent int) string {
	var parts []string
	if ref, ok := s["$ref"].(string); ok {
		parts = append(parts, g.named(ref))
	}
	if own := g.own(s, indent); own != "unknown" {
		parts = append(parts, own)
	}
	for _, part := range array(s["allOf"]) {
		parts = append(parts, g.of(part, indent))
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		if alternatives := array(s[key]); len(alternatives) > 0 {
			parts = append(parts, g.union(alternatives, indent))
		}
	}
	whole := intersection(parts)
	if s["nullable"] == true && whole != "unknown" {
		return unionOf([]string{whole, "null"})
	}
	return whole
}

func (g *types) union(alternatives []any, indent int) string {
	if len(alternatives) > maxUnion {
		return "unknown"
	}
	var all []string
	for _, a := range alternatives {
		all = append(all, g.of(a, indent))
	}
	return unionOf(all)
}

// own translates type, enum and const with what belongs to them.
func (g *types) own(s map[string]any, indent int) string {
	if c, ok := s["const"]; ok {
		return literalType(c)
	}
	if enum := array(s["enum"]); len(enum) > 0 && len(enum) <= maxUnion {
		var all []string
		for _, v := range enum {
			all = append(all, literalType(v))
		}
		return unionOf(all)
	}
	kinds := array(s["type"])
	if one, ok := s["type"].(string); ok {
		kinds = []any{one}
	}
	if len(kinds) == 0 {
		kinds = implied(s)
	}
	var all []string
	for _, k := range kinds {
		all = append(all, g.kind(k, s, indent))
	}
	if len(all) == 0 {
		return "unknown"
	}
	return unionOf(all)
}

// implied guesses the type of a schema that does not say it.
func implied(s map[string]any) []any {
	switch {
	case s["properties"] != nil || s["additionalProperties"] != nil:
		return []any{"object"}
	case s["items"] != nil || s["prefixItems"] != nil:
		return []any{"array"}
	}
	return nil
}

func (g *types) kind(kind any, s map[string]any, indent int) string {
	switch kind {
	case "string", "boolean", "null":
		return kind.(string)
	case "number", "integer":
		return "number"
	case "array":
		return g.arrayType(s, indent)
	case "object":
		return g.object(s, indent)
	}
	return "unknown"
}

// array reads a JSON array; nil if v is none.
func array(v any) []any {
	all, _ := v.([]any)
	return all
}
