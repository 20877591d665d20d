package tool

import (
	"fmt"
	"strings"

	"github.com/reeverun/reeve/process"
)

// Declaration declares one tool in TypeScript, in the shape in which programs
// see it: reeve.services.SERVICE.tools.TOOL(params).
func Declaration(service string, t Tool) string {
	return declare(service, []Tool{t}, map[string]bool{})
}

// Declarations declares every tool that a process with these patterns may call;
// nil patterns do not narrow.
func (r *Registry) Declarations(allowed []string) string {
	var b strings.Builder
	taken := map[string]bool{}
	group := []Tool{}
	tools := r.listed()
	for i, t := range tools {
		if r.cfg.Policy.Permission(t.service, t.Name, allowed).Permission != process.Deny {
			group = append(group, t.Tool)
		}
		if last := i+1 == len(tools) || tools[i+1].service != t.service; last && len(group) > 0 {
			b.WriteString(declare(t.service, group, taken))
			group = group[:0]
		}
	}
	return b.String()
}

// declare writes the interface of one service, after the types it needs. taken
// holds the names of types in use.
func declare(service string, tools []Tool, taken map[string]bool) string {
	var types, methods strings.Builder
	for _, t := range tools {
		method, needs := declareTool(service, t, taken)
		methods.WriteString(method)
		types.WriteString(needs)
	}
	return fmt.Sprintf("%sinterface ReeveServices {\n  readonly %s: {\n    readonly tools: {\n%s    };\n  };\n}\n",
		types.String(), propertyName(service), methods.String())
}

// maxDeclaration bounds what one tool adds to a declaration. A schema that needs
// more is left out of it.
const maxDeclaration = 64 << 10

// declareTool returns the method of a tool and the types it needs.
func declareTool(service string, t Tool, taken map[string]bool) (method, types string) {
	g := newTypes(typePrefix(service, t.Name), taken)
	params, result := g.parameter(t.Params), g.typeOf(t.Result, 3)
	if types = g.declarations(); len(params)+len(result)+len(types) > maxDeclaration {
		params, result, types = "params: { [key: string]: unknown }", "unknown", ""
	}
	var b strings.Builder
	comment(&b, "      ", t.Description, maxDescription)
	fmt.Fprintf(&b, "      %s(%s): Promise<%s>;\n", methodName(t.Name), params, result)
	return b.String(), types
}

// propertyName quotes a name that is not an identifier.
func propertyName(name string) string {
	if identifier.MatchString(name) {
		return name
	}
	return literal(name)
}

// methodName is propertyName for methods: new( would declare a constructor.
func methodName(name string) string {
	if name == "new" {
		return literal(name)
	}
	return propertyName(name)
}

// typePrefix makes the beginning of type names from the names of a tool.
func typePrefix(service, tool string) string {
	return camel(service) + camel(tool)
}

// camel makes an identifier of a name.
func camel(name string) string {
	var b strings.Builder
	upper := true
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z' && upper:
			b.WriteByte(c - 'a' + 'A')
			upper = false
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' && b.Len() > 0:
			b.WriteByte(c)
			upper = false
		default:
			upper = true
		}
	}
	if b.Len() == 0 {
		return "T"
	}
	return b.String()
}

// The bounds of doc comments.
const (
	maxDescription = 2 << 10
	maxComment     = 500
)

// comment writes a doc comment, or nothing.
func comment(b *strings.Builder, indent, text string, most int) {
	text = strings.TrimSpace(Clip(text, most))
	if text == "" {
		return
	}
	text = strings.ReplaceAll(text, "*/", "*\\/")
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' })
	if len(lines) == 1 {
		fmt.Fprintf(b, "%s/** %s */\n", indent, clean(lines[0]))
		return
	}
	fmt.Fprintf(b, "%s/**\n", indent)
	for _, line := range lines {
		fmt.Fprintf(b, "%s\n", strings.TrimRight(indent+" * "+clean(line), " "))
	}
	fmt.Fprintf(b, "%s */\n", indent)
}

// clean removes control characters.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}
