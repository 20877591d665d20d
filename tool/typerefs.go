package tool

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// named returns the name of the type that a reference leads to, and declares it
// at its first use.
func (g *types) named(ref string) string {
	name, known := g.refs[ref]
	if !known {
		target, ok := pointer(g.root, ref)
		if !ok {
			return "unknown"
		}
		name = g.freshName(ref)
		g.refs[ref] = name
		g.declareNamed(name, target)
	}
	if g.alias == "" {
		return name
	}
	if g.madeOf(name, g.alias, map[string]bool{}) {
		return "unknown" // a type that is only itself has no members to show
	}
	if g.aliases[g.alias] == nil {
		g.aliases[g.alias] = map[string]bool{}
	}
	g.aliases[g.alias][name] = true
	return name
}

func (g *types) declareNamed(name string, target any) {
	outer := g.alias
	g.alias = name
	if outer != "" { // the outer one is made of this one: it must not lead back
		if g.aliases[outer] == nil {
			g.aliases[outer] = map[string]bool{}
		}
		g.aliases[outer][name] = true
	}
	body := g.of(target, 0)
	g.alias = outer
	var b strings.Builder
	comment(&b, "", about(target), maxComment)
	fmt.Fprintf(&b, "type %s = %s;\n", name, body)
	g.bodies = append(g.bodies, b.String())
}

// madeOf reports whether the type name is, or is made of, the type other.
func (g *types) madeOf(name, other string, seen map[string]bool) bool {
	if name == other {
		return true
	}
	if seen[name] {
		return false
	}
	seen[name] = true
	for part := range g.aliases[name] {
		if g.madeOf(part, other, seen) {
			return true
		}
	}
	return false
}

func (g *types) freshName(ref string) string {
	last := ref[strings.LastIndexAny(ref, "/#")+1:]
	if unescaped, err := url.PathUnescape(last); err == nil {
		last = unescaped
	}
	name := g.prefix + camel(last)
	for n := 2; g.taken[name]; n++ {
		name = g.prefix + camel(last) + strconv.Itoa(n)
	}
	g.taken[name] = true
	return name
}

// pointer finds what a reference within a document names.
func pointer(root any, ref string) (any, bool) {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	if path == "" {
		return root, true
	}
	if !strings.HasPrefix(path, "/") {
		return nil, false
	}
	at := root
	for _, part := range strings.Split(path[1:], "/") {
		if unescaped, err := url.PathUnescape(part); err == nil {
			part = unescaped
		}
		part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
		switch v := at.(type) {
		case map[string]any:
			if at, ok = v[part]; !ok {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			at = v[i]
		default:
			return nil, false
		}
	}
	return at, true
}
