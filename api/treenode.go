package api

import (
	"fmt"
	"regexp"

	"go.yaml.in/yaml/v3"
)

// What a file may hold: aliases can nest without end, and multiply, and each
// value is known by the names of all above it.
const (
	maxNesting = 100
	maxValues  = 100_000
	maxPath    = 1000
)

// value makes a plain value of a node, and takes note of where it stands.
func (f *treeFile) value(n *yaml.Node, path string, depth int) (any, error) {
	switch {
	case depth > maxNesting:
		return nil, f.fault(n.Line, "is nested too deep")
	case len(path) > maxPath:
		return nil, f.fault(n.Line, "the names above it are too long")
	}
	if _, known := f.lines[path]; !known {
		f.lines[path] = n.Line
	}
	if f.values++; f.values > maxValues {
		return nil, f.fault(n.Line, "there are too many values: want at most %d", maxValues)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return f.value(n.Alias, path, depth+1)
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			v, err := f.value(item, fmt.Sprintf("%s[%d]", path, i), depth+1)
			if err != nil {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	case yaml.MappingNode:
		return f.mapping(n, path, depth)
	}
	var v any
	if err := n.Decode(&v); err != nil {
		return nil, f.fault(n.Line, "%v", err)
	}
	if v != nil && isText.MatchString(path) { // PORT: 8080 is as good as "8080"
		return n.Value, nil
	}
	return v, nil
}

// isText matches the paths of variables and arguments: whatever stands there is
// a text.
var isText = regexp.MustCompile(`\.env\.[^.]*$|\.args\[\d+\]$`)

func (f *treeFile) mapping(n *yaml.Node, path string, depth int) (any, error) {
	m, own := make(map[string]any, len(n.Content)/2), make(map[string]bool, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Tag == "!!merge" {
			if err := f.merge(m, key, value, path, depth); err != nil {
				return nil, err
			}
			continue
		}
		at := key.Value
		if path != "" {
			at = path + "." + at
		}
		if own[key.Value] {
			return nil, f.fault(key.Line, "%s: is given twice", at)
		}
		own[key.Value] = true
		f.lines[at] = key.Line
		v, err := f.value(value, at, depth+1)
		if err != nil {
			return nil, err
		}
		m[key.Value] = v
	}
	return m, nil
}

// merge adds what << names and the mapping does not have.
func (f *treeFile) merge(m map[string]any, key, value *yaml.Node, path string, depth int) error {
	merged, err := f.value(value, path, depth+1)
	if err != nil {
		return err
	}
	all, ok := merged.(map[string]any)
	if !ok {
		return f.fault(key.Line, "<< wants one mapping")
	}
	for name, v := range all {
		if _, has := m[name]; !has {
			m[name] = v
		}
	}
	return nil
}
