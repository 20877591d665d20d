package tool

import (
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/reeverun/reeve/process"
)

// listed is a tool that can be called. What costs time to make is made at its
// first use: a service may have a thousand tools.
type listed struct {
	Tool
	service     string
	search      words // what a query is held against
	schema      func() *schema
	declaration func() string
}

// listing is what a service offered. It does not change.
type listing struct {
	byName map[string]*listed
	order  []*listed // by name
}

// newListing reads what a service offers. A tool whose name nobody could call
// is left out; one whose schema nobody can read takes any object.
func newListing(service string, tools []Tool, log *slog.Logger) *listing {
	l := &listing{byName: map[string]*listed{}}
	for _, t := range tools {
		if !ValidName(t.Name) || l.byName[t.Name] != nil {
			log.Warn("tool is left out: its name is not valid or not unique", "tool", Clip(t.Name, 100))
			continue
		}
		known := list(service, t, log)
		l.byName[t.Name] = known
		l.order = append(l.order, known)
	}
	slices.SortFunc(l.order, func(a, b *listed) int { return strings.Compare(a.Name, b.Name) })
	return l
}

// maxAbout bounds the description of a tool.
const maxAbout = 16 << 10

func list(service string, t Tool, log *slog.Logger) *listed {
	t.Description = Clip(t.Description, maxAbout)
	return &listed{
		Tool: t, service: service, search: searchWords(service, t),
		schema: sync.OnceValue(func() *schema {
			s, err := compileSchema(t.Params)
			if err != nil {
				log.Warn("parameters of this tool are not checked", "tool", t.Name, "error", err)
			}
			return s
		}),
		declaration: sync.OnceValue(func() string { return Declaration(service, t) }),
	}
}

// listing returns what the service offered last; nil if it was never opened.
func (s *service) listing() *listing {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools
}

func unavailable(service, reason string) *process.ToolError {
	return Errorf(process.ToolUnavailable, "the service %s is unavailable: %s", service, reason)
}
