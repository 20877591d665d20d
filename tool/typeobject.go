package tool

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// inside translates what stands inside an object or an array, where a type may
// mention itself.
func (g *types) inside(v any, indent int) string {
	alias := g.alias
	g.alias = ""
	defer func() { g.alias = alias }()
	return g.of(v, indent)
}

func (g *types) arrayType(s map[string]any, indent int) string {
	first, rest := array(s["prefixItems"]), s["items"]
	if old := array(rest); old != nil { // of older drafts
		first, rest = old, s["additionalItems"]
	}
	item := "unknown"
	if rest != nil {
		item = g.inside(rest, indent)
	}
	if len(first) == 0 || len(first) > maxUnion {
		return grouped(item) + "[]"
	}
	var all []string
	for _, f := range first {
		all = append(all, grouped(g.inside(f, indent))+"?")
	}
	if item != "never" {
		all = append(all, "..."+grouped(item)+"[]")
	}
	return "[" + strings.Join(all, ", ") + "]"
}

func (g *types) object(s map[string]any, indent int) string {
	properties, _ := s["properties"].(map[string]any)
	if len(properties) == 0 {
		if more := s["additionalProperties"]; more != nil {
			return "{ [key: string]: " + g.inside(more, indent) + " }"
		}
		return "{ [key: string]: unknown }"
	}
	required := array(s["required"])
	names := make([]string, 0, len(properties))
	for name := range properties {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	b.WriteString("{\n")
	margin := strings.Repeat("  ", indent+1)
	for _, name := range names {
		mark := "?"
		if slices.Contains(required, any(name)) {
			mark = ""
		}
		comment(&b, margin, about(properties[name]), maxComment)
		fmt.Fprintf(&b, "%s%s%s: %s;\n", margin, propertyName(name), mark, g.inside(properties[name], indent+1))
	}
	if open := s["additionalProperties"]; open != nil && open != false {
		fmt.Fprintf(&b, "%s[key: string]: unknown;\n", margin)
	}
	b.WriteString(strings.Repeat("  ", indent) + "}")
	return b.String()
}

// about is the comment of a property.
func about(v any) string {
	s, _ := v.(map[string]any)
	text, _ := s["description"].(string)
	if text == "" {
		text, _ = s["title"].(string)
	}
	if d, ok := s["default"]; ok {
		if b, err := json.Marshal(d); err == nil && len(b) <= 100 {
			text = strings.TrimSpace(text + " Default: " + string(b) + ".")
		}
	}
	return text
}
