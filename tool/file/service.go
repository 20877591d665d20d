package file

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/tool"
	"github.com/reeverun/reeve/tool/mcp"
	"github.com/reeverun/reeve/tool/openapi"
	"go.yaml.in/yaml/v3"
)

// service is one service of the file. What may hold credentials is a Secret, so
// that it is not printed by accident.
type service struct {
	Adapter     string
	Description string
	Timeout     string

	Command []process.Secret          // mcp
	Env     map[string]process.Secret // mcp
	Cwd     string                    // mcp
	URL     process.Secret            `yaml:"url"`
	Headers map[string]process.Secret
	Query   map[string]process.Secret // openapi
	Bearer  process.Secret            // openapi
	Basic   *struct {                 // openapi
		User     string
		Password process.Secret
	}
	Document process.Secret // openapi

	name    string
	timeout time.Duration
	secrets []process.Secret // values of variables that look like credentials
}

// keysOf are the keys that each adapter knows.
var keysOf = map[string][]string{
	"mcp":     {"adapter", "description", "timeout", "command", "env", "cwd", "url", "headers"},
	"openapi": {"adapter", "description", "timeout", "document", "url", "headers", "query", "bearer", "basic"},
}

func (f *File) readService(name string, node *yaml.Node, dir string, lookup func(string) (string, bool)) (*service, error) {
	node, ok := resolved(node, new(int))
	if !ok {
		return nil, f.fault(node.Line, "the service %s has too many values", name)
	}
	if node.Kind != yaml.MappingNode {
		return nil, f.fault(node.Line, "the service %s must be a mapping, such as {adapter: mcp, command: [server]}", name)
	}
	if err := f.checkKeys(name, node); err != nil {
		return nil, err
	}
	// Read once as it stands: an error then quotes a variable's name, never
	// its value.
	if err := node.Decode(new(service)); err != nil {
		return nil, f.fault(0, "the service %s: %s", name, readable(err))
	}
	s := &service{name: name}
	if err := f.expandAll(s, node, "", lookup); err != nil {
		return nil, err
	}
	if err := node.Decode(s); err != nil {
		return nil, f.fault(node.Line, "the service %s cannot be read once its variables are filled in", name)
	}
	if err := s.complete(dir); err != nil {
		return nil, f.fault(node.Line, "the service %s: %s", name, err)
	}
	return s, nil
}

func (f *File) checkKeys(name string, node *yaml.Node) error {
	adapter, line := "", node.Line
	for key, value := range pairs(node) {
		if key.Value == "adapter" {
			adapter, line = value.Value, value.Line
		}
	}
	known := keysOf[adapter]
	if known == nil {
		return f.fault(line, "the service %s needs an adapter: mcp or openapi", name)
	}
	for key, value := range pairs(node) {
		if !slices.Contains(known, key.Value) {
			return f.fault(key.Line, "unknown key %q of the service %s: the adapter %s knows %s", key.Value, name, adapter, strings.Join(known, ", "))
		}
		for inner := range pairs(value) {
			if key.Value == "basic" && inner.Value != "user" && inner.Value != "password" {
				return f.fault(inner.Line, "unknown key %q of basic: known are user, password", inner.Value)
			}
		}
	}
	return nil
}

// expandAll fills variables into every value below a node; under is the key of
// the service they stand under.
func (f *File) expandAll(s *service, node *yaml.Node, under string, lookup func(string) (string, bool)) error {
	switch node.Kind {
	case yaml.ScalarNode:
		out, used, missing := expand(node.Value, lookup)
		if missing != "" {
			return f.fault(node.Line, "the variable %s of the service %s is not set: set it in the environment of the daemon", missing, s.name)
		}
		node.Value = out
		for variable, value := range used {
			if secret(under, variable, value) {
				s.secrets = append(s.secrets, process.Secret(value))
			}
		}
	case yaml.MappingNode:
		for key, value := range pairs(node) {
			where := under
			if where == "" {
				where = key.Value
			}
			if err := f.expandAll(s, value, where, lookup); err != nil {
				return err
			}
		}
	default:
		for _, item := range node.Content {
			if err := f.expandAll(s, item, under, lookup); err != nil {
				return err
			}
		}
	}
	return nil
}

// secret reports whether the value of a variable is to be kept from programs.
// Who writes ${NAME} where credentials stand mostly means one; but a folder, a
// number or a word, hidden, would only spoil results.
func secret(under, variable, value string) bool {
	if tool.Sensitive(variable) {
		return true
	}
	switch under {
	case "env", "headers", "query", "bearer", "basic", "command":
		_, err := strconv.ParseFloat(value, 64)
		return len(value) >= 8 && err != nil && !filepath.IsAbs(value) && !strings.Contains(value, "://")
	}
	return false
}

// complete checks what belongs together and makes paths absolute.
func (s *service) complete(dir string) error {
	if s.Timeout != "" {
		d, err := time.ParseDuration(s.Timeout)
		if err != nil || d <= 0 {
			return fmt.Errorf("timeout must be a duration such as 30s, not %q", tool.Clip(s.Timeout, 50))
		}
		s.timeout = d
	}
	switch {
	case s.Adapter == "openapi" && s.Document == "":
		return fmt.Errorf("it needs a document: the file or URL of its OpenAPI description")
	case s.Adapter == "mcp" && (len(s.Command) == 0) == (s.URL == ""):
		return fmt.Errorf("it needs either a command or a url")
	case s.Adapter == "mcp" && s.URL != "" && (s.Env != nil || s.Cwd != ""):
		return fmt.Errorf("env and cwd belong to a command")
	}
	s.Cwd = within(dir, s.Cwd)
	if d := s.Document.Reveal(); !strings.HasPrefix(d, "http://") && !strings.HasPrefix(d, "https://") {
		s.Document = process.Secret(within(dir, d))
	}
	return nil
}

// within makes a path of the file absolute. None is the file's own folder.
func within(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// adapter makes the service's adapter.
func (s *service) adapter(logger *slog.Logger) tool.Adapter {
	if logger != nil {
		logger = logger.With("service", s.name)
	}
	if s.Adapter == "mcp" {
		c := mcp.Config{Env: s.Env, Dir: s.Cwd, URL: s.URL.Reveal(), Headers: s.Headers, Secrets: s.secrets, Logger: logger}
		for _, word := range s.Command {
			c.Command = append(c.Command, word.Reveal())
		}
		return mcp.New(c)
	}
	c := openapi.Config{
		Document: s.Document.Reveal(), URL: s.URL.Reveal(), Headers: s.Headers, Query: s.Query,
		Bearer: s.Bearer, Secrets: s.secrets,
	}
	if s.Basic != nil {
		c.Basic = &openapi.Basic{User: s.Basic.User, Password: s.Basic.Password}
	}
	return openapi.New(c)
}
