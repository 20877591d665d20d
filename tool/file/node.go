package file

import (
	"errors"
	"iter"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// pairs yields the keys and values of a mapping.
func pairs(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(*yaml.Node, *yaml.Node) bool) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

// maxNodes bounds the values of one service, aliases counted as often as they
// are used.
const maxNodes = 10_000

// resolved copies a node with what its aliases stand for, so that a value that
// two services share can be filled in for each.
func resolved(n *yaml.Node, count *int) (*yaml.Node, bool) {
	if *count++; *count > maxNodes {
		return n, false
	}
	if n.Kind == yaml.AliasNode {
		return resolved(n.Alias, count)
	}
	out := *n
	out.Anchor, out.Content = "", nil
	for _, item := range n.Content {
		c, ok := resolved(item, count)
		if !ok {
			return n, false
		}
		out.Content = append(out.Content, c)
	}
	return &out, true
}

var (
	goType   = regexp.MustCompile(` into \S+`)
	quoted   = regexp.MustCompile("`[^`]*`")
	yamlTag  = regexp.MustCompile(`!!(\w+)`)
	typeName = map[string]string{"str": "a text", "seq": "a list", "map": "a mapping", "int": "a number", "float": "a number", "bool": "true or false", "null": "nothing"}
)

// readable says what the decoder says, without its types and the values.
func readable(err error) error {
	s := strings.ReplaceAll(err.Error(), "yaml: ", "")
	s = strings.ReplaceAll(s, "unmarshal errors:\n  ", "")
	s = strings.ReplaceAll(s, "\n  ", "; ")
	s = goType.ReplaceAllString(s, "")
	s = strings.ReplaceAll(quoted.ReplaceAllString(s, ""), "cannot unmarshal", "cannot be")
	s = yamlTag.ReplaceAllStringFunc(s, func(tag string) string { return typeName[tag[2:]] })
	return errors.New(strings.TrimSpace(s))
}

var variable = regexp.MustCompile(`\$?\$\{[^}]*\}`)

// expand replaces the variables in a text, and returns which were used.
func expand(s string, lookup func(string) (string, bool)) (out string, used map[string]string, missing string) {
	used = map[string]string{}
	out = variable.ReplaceAllStringFunc(s, func(m string) string {
		if strings.HasPrefix(m, "$$") {
			return m[1:]
		}
		name := strings.TrimSpace(m[2 : len(m)-1])
		value, ok := lookup(name)
		if !ok && missing == "" {
			missing = name
		}
		used[name] = value
		return value
	})
	return out, used, missing
}
