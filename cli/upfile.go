package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// treeFile is a supervision tree as a person wrote it.
type treeFile struct {
	name  string
	lines map[string]int // where the value of a path begins
}

// readTree reads and checks the file of a tree. Directories in it are meant from
// where it lies; from - they are meant from the working directory.
func (a *App) readTree(arg string) (api.Supervisor, error) {
	dir, err := a.Dir()
	if err != nil {
		return api.Supervisor{}, fmt.Errorf("find the working directory: %w", err)
	}
	var text []byte
	f := treeFile{name: arg, lines: map[string]int{}}
	if arg == "-" {
		f.name = "standard input"
		text, err = readInput(a.Stdin)
	} else {
		path := arg
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		dir = filepath.Dir(path)
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return api.Supervisor{}, fmt.Errorf("read the tree: %w", err)
	}
	tree, err := f.parse(text)
	if err != nil {
		return tree, err
	}
	if tree.Name == "" && arg != "-" {
		base := filepath.Base(arg)
		tree.Name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	place(&tree, dir)
	return tree, nil
}

// parse makes a tree of YAML, of which JSON is a part.
func (f *treeFile) parse(text []byte) (tree api.Supervisor, err error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		text := strings.TrimPrefix(err.Error(), "yaml: ")
		if rest, ok := strings.CutPrefix(text, "line "); ok {
			return tree, usagef("%s:%s", f.name, rest)
		}
		return tree, usagef("%s: %s", f.name, text)
	}
	if len(doc.Content) == 0 {
		return tree, usagef("%s: is empty: want a supervisor with children", f.name)
	}
	value, err := f.value(doc.Content[0], "", 0)
	if err != nil {
		return tree, err
	}
	b, err := json.Marshal(value)
	if err != nil {
		return tree, usagef("%s: %v", f.name, err)
	}
	if err := api.Decode(b, &tree); err != nil {
		return tree, f.at(err)
	}
	// The daemon's default environment and tier are not known here; what is wrong
	// whatever they are is.
	specs := api.Specs{Environment: process.EnvTypeScript}
	if _, err := specs.Members(&tree); err != nil {
		return tree, f.at(err)
	}
	return tree, nil
}

// maxNesting keeps a file from nesting without end; aliases can.
const maxNesting = 100

// value makes a plain value of a node, and takes note of where it stands.
func (f *treeFile) value(n *yaml.Node, path string, depth int) (any, error) {
	if _, known := f.lines[path]; !known {
		f.lines[path] = n.Line
	}
	if depth > maxNesting {
		return nil, usagef("%s:%d: is nested too deep", f.name, n.Line)
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
		return nil, usagef("%s:%d: %v", f.name, n.Line, err)
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
	m := make(map[string]any, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Tag == "!!merge" {
			merged, err := f.value(value, path, depth+1)
			if err != nil {
				return nil, err
			}
			all, ok := merged.(map[string]any)
			if !ok {
				return nil, usagef("%s:%d: << wants one mapping", f.name, key.Line)
			}
			for name, v := range all {
				if _, own := m[name]; !own {
					m[name] = v
				}
			}
			continue
		}
		at := key.Value
		if path != "" {
			at = path + "." + at
		}
		if seen(n, i, key.Value) {
			return nil, usagef("%s:%d: %s: is given twice", f.name, key.Line, at)
		}
		f.lines[at] = key.Line
		v, err := f.value(value, at, depth+1)
		if err != nil {
			return nil, err
		}
		m[key.Value] = v
	}
	return m, nil
}

// seen reports whether a key came before the ith node of a mapping.
func seen(n *yaml.Node, i int, key string) bool {
	for j := 0; j < i; j += 2 {
		if n.Content[j].Value == key {
			return true
		}
	}
	return false
}

// at says where in the file an error is.
func (f *treeFile) at(err error) error {
	var e *process.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	if e.Field == "body" {
		return usagef("%s: %s", f.name, e.Message)
	}
	for path := e.Field; path != ""; path = path[:max(0, strings.LastIndexAny(path, ".["))] {
		if line, ok := f.lines[path]; ok {
			return usagef("%s:%d: %s", f.name, line, e)
		}
	}
	return usagef("%s:%d: %s", f.name, f.lines[""], e)
}

// place makes the directories of commands absolute.
func place(t *api.Supervisor, dir string) {
	for i := range t.Children {
		c := &t.Children[i]
		switch {
		case c.Supervisor != nil:
			place(c.Supervisor, dir)
		case c.Create.Command != nil && (c.Dir == "" || c.Create.Command.Dir != ""):
			c.Create.Command.Dir = from(dir, c.Create.Command.Dir)
		case c.Dir != "" || c.Environment == process.EnvCommand || len(c.Env) > 0:
			c.Dir = from(dir, c.Dir)
		}
	}
}

func from(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
