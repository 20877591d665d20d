// Package file reads the operator's file of tools: which services there are,
// how they are reached, and what programs may do with them.
//
//	services:
//	  everything: {adapter: mcp, command: [node, server.js], env: {TOKEN: "${SOME_VAR}"}, cwd: ., timeout: 30s}
//	  remote:     {adapter: mcp, url: "http://127.0.0.1:9000/mcp", headers: {Authorization: "Bearer ${TOKEN}"}}
//	  pets:       {adapter: openapi, document: pets.yaml, url: "http://127.0.0.1:9001", bearer: "${PETS_TOKEN}"}
//	policy:
//	  - ask: pets/delete_*
//	  - deny: everything/printEnv
//	  - allow: "*"
//
// ${NAME} stands for a variable of the environment, $${ for ${ itself. Relative
// paths are relative to the file. A key that is not known is an error.
package file

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/reeverun/reeve/tool"
	"go.yaml.in/yaml/v3"
)

// maxFile bounds the file; it is written by hand.
const maxFile = 1 << 20

// File is an operator's file, read and checked.
type File struct {
	path     string
	services []service
	policy   tool.Policy
}

// Load reads a file. lookup finds variables, as os.LookupEnv does.
func Load(path string, lookup func(string) (string, bool)) (*File, error) {
	raw, err := readFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the file of tools: %w", err)
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("read the file of tools: %w", err)
	}
	if len(raw) > maxFile {
		return nil, fmt.Errorf("%s is too long: %d bytes are allowed", path, maxFile)
	}
	f := &File{path: path}
	if err := f.read(raw, filepath.Dir(absolute), lookup); err != nil {
		return nil, err
	}
	return f, nil
}

// readFile reads a file, up to one byte more than is allowed.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}

// Services returns the names of the services, as they stand in the file.
func (f *File) Services() (names []string) {
	for _, s := range f.services {
		names = append(names, s.name)
	}
	return names
}

// Policy returns the rules.
func (f *File) Policy() tool.Policy { return f.policy }

// String names the file and tells nothing of what is in it.
func (f File) String() string { return "tools of " + f.path }

// GoString is String.
func (f File) GoString() string { return f.String() }

// Registry makes a registry with the services of the file, not yet started.
func (f *File) Registry(logger *slog.Logger) (*tool.Registry, error) {
	r := tool.New(tool.Config{Policy: f.policy, Logger: logger})
	for _, s := range f.services {
		if err := r.Add(s.name, s.adapter(logger), tool.Timeout(s.timeout), tool.Description(s.Description)); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", f.path, err), r.Close())
		}
	}
	return r, nil
}

// read reads the YAML: services and policy.
func (f *File) read(raw []byte, dir string, lookup func(string) (string, bool)) error {
	in := yaml.NewDecoder(bytes.NewReader(raw))
	var doc yaml.Node
	switch err := in.Decode(&doc); {
	case errors.Is(err, io.EOF): // empty, or comments only
		return nil
	case err != nil:
		return f.fault(0, "is not YAML: %s", readable(err))
	case !errors.Is(in.Decode(new(yaml.Node)), io.EOF):
		return f.fault(0, "holds more than one document: keep one")
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return f.fault(root.Line, "must hold the keys services and policy")
	}
	seen := map[string]bool{}
	for key, value := range pairs(root) {
		if seen[key.Value] { // one of them would count for nothing
			return f.fault(key.Line, "the key %q is given twice", key.Value)
		}
		seen[key.Value] = true
		var err error
		switch key.Value {
		case "services":
			err = f.readServices(value, dir, lookup)
		case "policy":
			err = f.readPolicy(value)
		default:
			err = f.fault(key.Line, "unknown key %q: known are services, policy", key.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *File) readServices(node *yaml.Node, dir string, lookup func(string) (string, bool)) error {
	if node.Kind != yaml.MappingNode {
		return f.fault(node.Line, "services must be a mapping from names to services")
	}
	for key, value := range pairs(node) {
		switch {
		case !tool.ValidName(key.Value):
			return f.fault(key.Line, "%q cannot name a service: use 1 to 64 letters, digits and _ . -", tool.Clip(key.Value, 100))
		case key.Value == tool.Builtin:
			return f.fault(key.Line, "the service name %s is reserved: choose another", tool.Builtin)
		case slices.Contains(f.Services(), key.Value):
			return f.fault(key.Line, "the service %s is given twice", key.Value)
		}
		s, err := f.readService(key.Value, value, dir, lookup)
		if err != nil {
			return err
		}
		f.services = append(f.services, *s)
	}
	return nil
}

// fault is an error about a line of the file; 0: about all of it.
func (f *File) fault(line int, format string, args ...any) error {
	where := f.path
	if line > 0 {
		where = fmt.Sprintf("%s, line %d", f.path, line)
	}
	return fmt.Errorf("%s: %s", where, fmt.Sprintf(format, args...))
}
