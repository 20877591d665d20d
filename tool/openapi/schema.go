package openapi

import (
	"fmt"
	"slices"
	"strings"
)

// maxNodes bounds the schema of one tool; what lies beyond is not described.
const maxNodes = 5000

// schemas turns the schemas of a document to JSON Schemas that stand alone: what
// they refer to is copied to their $defs, once, so that cycles stay cycles.
type schemas struct {
	doc     *document
	request bool              // what only the server sets is not required
	names   map[string]string // reference → name in $defs
	defs    object
	nodes   int
}

func newSchemas(d *document, request bool) *schemas {
	c := &schemas{doc: d, request: request, names: map[string]string{}, defs: object{}}
	if d.spent {
		c.nodes = maxNodes
	}
	return c
}

// affords reports whether a value that is taken as it is fits in.
func (c *schemas) affords(v any) bool {
	c.nodes += weight(v, maxNodes-c.nodes)
	return c.nodes <= maxNodes
}

// weight is about how much a value adds to a schema, counted up to some bound.
func weight(v any, most int) int {
	const letters = 64 // that weigh as much as a node
	n := 1
	switch v := v.(type) {
	case string:
		return n + len(v)/letters
	case []any:
		for _, item := range v {
			if n += weight(item, most-n); n > most {
				break
			}
		}
	case object:
		for key, item := range v {
			if n += len(key)/letters + weight(item, most-n); n > most {
				break
			}
		}
	}
	return n
}

// of converts one schema.
func (c *schemas) of(v any, depth int) any {
	c.nodes++
	s, ok := v.(object)
	if !ok || c.nodes > maxNodes || depth > maxDepth {
		return v == nil || v != false // true, but for a false schema
	}
	if ref, ok := s["$ref"].(string); ok {
		return c.reference(ref, s, depth)
	}
	out := object{}
	for key, value := range s {
		c.keyword(out, key, value, depth)
	}
	if c.request {
		c.dropReadOnly(s, out)
	}
	if c.doc.old {
		fromOld(out)
		if s["nullable"] == true {
			return nullable(out)
		}
	}
	return out
}

// keyword converts one member of a schema, or drops what JSON Schema does not
// know.
func (c *schemas) keyword(out object, key string, value any, depth int) {
	switch key {
	case "items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else",
		"unevaluatedProperties", "unevaluatedItems", "additionalItems":
		if list, ok := value.([]any); ok {
			out[key] = c.list(list, depth)
			return
		}
		out[key] = c.of(value, depth+1)
	case "allOf", "anyOf", "oneOf", "prefixItems":
		if list, ok := value.([]any); ok && len(list) > 0 {
			out[key] = c.list(list, depth)
		}
	case "properties", "patternProperties", "dependentSchemas":
		if members, ok := value.(object); ok {
			converted := object{}
			for name, member := range members {
				if !c.affords(name) {
					break
				}
				converted[name] = c.of(member, depth+1)
			}
			out[key] = converted
		}
	case "type", "enum", "const", "format", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
		"multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
		"minContains", "maxContains", "dependentRequired", "title", "description", "default", "deprecated":
		if c.affords(value) {
			out[key] = value
		}
	case "required":
		if list, ok := value.([]any); ok && c.affords(list) { // a boolean is a common mistake
			out[key] = list
		}
	}
}

func (c *schemas) list(all []any, depth int) []any {
	out := make([]any, len(all))
	for i, v := range all {
		out[i] = c.of(v, depth+1)
	}
	return out
}

// reference makes a reference into $defs.
func (c *schemas) reference(ref string, s object, depth int) any {
	name, known := c.names[ref]
	if !known {
		target := c.doc.lookup(ref)
		if target == nil {
			return true // elsewhere, or nowhere
		}
		name = c.defName(ref)
		c.names[ref] = name
		c.defs[name] = true // until it is known
		c.defs[name] = c.of(target, depth+1)
	}
	out := object{"$ref": "#/$defs/" + name}
	if d := text(s["description"]); d != "" && c.affords(d) {
		out["description"] = d
	}
	return out
}

func (c *schemas) defName(ref string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '.' {
			return r
		}
		return '_'
	}, ref[strings.LastIndex(ref, "/")+1:])
	unique := name
	for n := 2; c.defs[unique] != nil || unique == ""; n++ {
		unique = fmt.Sprintf("%s_%d", name, n)
	}
	return unique
}

// dropReadOnly makes optional what the server alone sets.
func (c *schemas) dropReadOnly(s, out object) {
	required, _ := out["required"].([]any)
	if len(required) == 0 {
		return
	}
	out["required"] = slices.DeleteFunc(slices.Clone(required), func(name any) bool {
		p := member(s["properties"], text(name))
		return c.doc.resolve(p)["readOnly"] == true
	})
}

// fromOld mends what OpenAPI 3.0 says in its own way.
func fromOld(out object) {
	for bound, exclusive := range map[string]string{"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"} {
		switch out[exclusive] {
		case true:
			out[exclusive] = out[bound]
			delete(out, bound)
			if out[exclusive] == nil {
				delete(out, exclusive)
			}
		case false:
			delete(out, exclusive)
		}
	}
}

// nullable allows null besides what a schema allows.
func nullable(out object) any {
	kind, plain := out["type"].(string)
	if !plain {
		return object{"anyOf": []any{out, object{"type": "null"}}}
	}
	out["type"] = []any{kind, "null"}
	if enum, ok := out["enum"].([]any); ok && !slices.Contains(enum, nil) {
		out["enum"] = append(slices.Clone(enum), nil)
	}
	return out
}
