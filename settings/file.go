package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/reeverun/reeve/process"
	"go.yaml.in/yaml/v3"
)

// configFile is a config file, read.
type configFile struct {
	path string // empty: there is none
	keys map[string]given
}

// configFile says which config file to read, and whether it must exist.
func (src Sources) configFile() (path string, must bool) {
	path = value(src.Env, "REEVE_CONFIG")
	if given := src.Flags["config"]; len(given) > 0 {
		path = given[len(given)-1]
	}
	switch {
	case path == None:
		return "", false
	case path == "":
		return defaultConfig(src.Env), false
	case !filepath.IsAbs(path):
		path = filepath.Join(src.Dir, path)
	}
	return path, true
}

func defaultConfig(env func(string) (string, bool)) string {
	if dir := value(env, "XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "reeve", "config.yaml")
	}
	if home := home(env); home != "" {
		return filepath.Join(home, ".config", "reeve", "config.yaml")
	}
	return ""
}

func readFile(path string, must bool) (configFile, error) {
	if path == "" {
		return configFile{}, nil
	}
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !must:
		return configFile{}, nil
	case err != nil:
		return configFile{}, fmt.Errorf("read config file: %w", err)
	}
	return parseFile(path, b)
}

// parseFile reads the YAML of a config file: one mapping of settings.
func parseFile(path string, b []byte) (configFile, error) {
	c := configFile{path: path, keys: map[string]given{}}
	in := yaml.NewDecoder(bytes.NewReader(b))
	var doc yaml.Node
	switch err := in.Decode(&doc); {
	case errors.Is(err, io.EOF): // empty, or comments only
		return c, nil
	case err != nil:
		return c, invalid(path, 0, "is not YAML: %v", err)
	case in.Decode(new(yaml.Node)) != io.EOF:
		return c, invalid(path, 0, "holds more than one document: keep one")
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return c, nil
	}
	if root.Kind != yaml.MappingNode {
		return c, invalid(path, root.Line, "must hold keys and values, such as \"grace: 10s\"")
	}
	for i := 0; i < len(root.Content); i += 2 {
		if err := c.add(root.Content[i], root.Content[i+1]); err != nil {
			return c, err
		}
	}
	return c, nil
}

func (c *configFile) add(key, val *yaml.Node) error {
	t, known := find(key.Value)
	_, twice := c.keys[key.Value]
	switch {
	case !known:
		return invalid(c.path, key.Line, "%q is not a setting: known are %s", key.Value, strings.Join(names(), ", "))
	case twice:
		return invalid(c.path, key.Line, "%s is given twice", key.Value)
	case t.Name == "config":
		return invalid(c.path, key.Line, "config cannot be set in the config file itself")
	}
	values, err := t.values(val)
	if err != nil {
		return invalid(c.path, val.Line, "%s %v", key.Value, err)
	}
	if len(values) > 0 { // an empty list says nothing
		source := fmt.Sprintf("%s in %s, line %d", t.Name, c.path, key.Line)
		c.keys[t.Name] = given{source: source, values: values, dir: filepath.Dir(c.path)}
	}
	return nil
}

// values flattens a YAML value to what flags would be given.
func (t Setting) values(n *yaml.Node) (values []string, err error) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch {
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		return nil, errors.New("has no value: give it one or remove the line")
	case n.Kind == yaml.ScalarNode && t.shape == mapping && !strings.Contains(n.Value, "="):
		return nil, fmt.Errorf("needs a name for each value: %s", t.example())
	case n.Kind == yaml.ScalarNode:
		return t.split(n.Value), nil
	case n.Kind == yaml.SequenceNode && t.Repeatable():
		for _, item := range n.Content {
			if item.Kind != yaml.ScalarNode {
				return nil, errors.New("must be a list of plain values")
			}
			values = append(values, item.Value)
		}
		return values, nil
	case n.Kind == yaml.MappingNode && t.shape == mapping:
		for i := 0; i < len(n.Content); i += 2 {
			if n.Content[i+1].Kind != yaml.ScalarNode {
				return nil, errors.New("needs one plain value for each name")
			}
			values = append(values, n.Content[i].Value+"="+orNone(n.Content[i+1]))
		}
		return values, nil
	}
	return nil, fmt.Errorf("must be one value: %s", t.Value)
}

// example is how entries are written in the file.
func (t Setting) example() string {
	weakest := t.Default
	if t.implied != nil {
		weakest = t.implied()
	}
	first, _, _ := strings.Cut(weakest, ",")
	return "{" + strings.Replace(first, "=", ": ", 1) + "}"
}

// orNone reads null as "none", as the API does with timeouts.
func orNone(n *yaml.Node) string {
	if n.Tag == "!!null" {
		return None
	}
	return n.Value
}

func find(name string) (Setting, bool) {
	for _, t := range Table() {
		if t.Name == name {
			return t, true
		}
	}
	return Setting{}, false
}

func names() (all []string) {
	for _, t := range Table() {
		all = append(all, t.Name)
	}
	return all
}

func invalid(path string, line int, format string, args ...any) error {
	if line > 0 {
		path = fmt.Sprintf("%s, line %d", path, line)
	}
	return process.Invalid(path, format, args...)
}
