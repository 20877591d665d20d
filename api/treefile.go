package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/reeverun/reeve/process"
)

// MaxTree is how many bytes the YAML of a tree may have.
const MaxTree = 1 << 20

// ParseTree makes a supervision tree of YAML, of which JSON is a part, and checks
// what s can check. Errors are for people and begin with where they are, such as
// app.yaml:4. A text without a name was sent: its errors say line 4, and
// directories in it are absolute, because nobody could say what they are
// relative to.
func ParseTree(name string, text []byte, s Specs) (tree Supervisor, err error) {
	f := &treeFile{name: name, lines: map[string]int{}}
	if len(text) > MaxTree {
		return tree, f.fault(0, "has %d bytes: want at most %d", len(text), MaxTree)
	}
	value, err := f.plain(text)
	if err != nil {
		return tree, err
	}
	b, err := json.Marshal(value)
	if err != nil {
		return tree, f.fault(0, "%v", err)
	}
	if err := Decode(b, &tree); err != nil {
		return tree, f.at(err)
	}
	if _, err := s.Members(&tree); err != nil {
		return tree, f.at(err)
	}
	if name == "" {
		if err := placed(&tree, ""); err != nil {
			return tree, f.at(err)
		}
	}
	return tree, nil
}

// placed refuses directories that are relative.
func placed(t *Supervisor, at string) error {
	for i := range t.Children {
		c := &t.Children[i]
		field := fmt.Sprintf("%schildren[%d].", at, i)
		if c.Supervisor != nil {
			if err := placed(c.Supervisor, field+"supervisor."); err != nil {
				return err
			}
			continue
		}
		dirs := map[string]string{"cwd": c.Dir}
		if c.Create.Command != nil {
			dirs["command.cwd"] = c.Create.Command.Dir
		}
		for name, dir := range dirs {
			if dir != "" && !path.IsAbs(dir) && !filepath.IsAbs(dir) {
				return process.Invalid(field+name, "%q is relative: want a whole path, what is sent lies nowhere", dir)
			}
		}
	}
	return nil
}

// treeFile is a supervision tree as a person wrote it.
type treeFile struct {
	name   string
	lines  map[string]int // where the value of a path begins
	values int            // so far
}

// fault is an error at a line; 0: of the whole.
func (f *treeFile) fault(line int, format string, args ...any) error {
	where := f.name
	switch {
	case f.name == "" && line > 0:
		where = fmt.Sprint("line ", line)
	case f.name == "":
		where = "body"
	case line > 0:
		where = fmt.Sprint(f.name, ":", line)
	}
	return process.Errorf(process.CodeInvalid, "%s: %s", where, fmt.Sprintf(format, args...))
}

// plain makes a plain value of the text.
func (f *treeFile) plain(text []byte) (any, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		text := strings.TrimPrefix(err.Error(), "yaml: ")
		line := 0
		if n, _ := fmt.Sscanf(text, "line %d: ", &line); n == 1 {
			_, text, _ = strings.Cut(text, ": ")
		}
		return nil, f.fault(line, "%s", text)
	}
	if len(doc.Content) == 0 {
		return nil, f.fault(0, "is empty: want a supervisor with children")
	}
	return f.value(doc.Content[0], "", 0)
}

// at says where in the file an error is.
func (f *treeFile) at(err error) error {
	var e *process.Error
	if !errors.As(err, &e) {
		return f.fault(0, "%v", err)
	}
	if e.Field == "body" {
		return f.fault(0, "%s", e.Message)
	}
	for field := e.Field; field != ""; field = field[:max(0, strings.LastIndexAny(field, ".["))] {
		if line, ok := f.lines[field]; ok {
			return f.fault(line, "%s", e)
		}
	}
	return f.fault(f.lines[""], "%s", e)
}
