package tool

import (
	"encoding/json"

	"github.com/reeverun/reeve/process"
)

// State says whether a service can be called.
type State string

// The states of a service.
const (
	Ready       State = "ready"
	Unavailable State = "unavailable" // not yet, or not any more; it is retried
)

// ServiceInfo describes a service, on the wire too.
type ServiceInfo struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Adapter     string  `json:"adapter"` // its kind: builtin, function, mcp, openapi, …
	State       State   `json:"state"`
	Error       *string `json:"error"` // why it is unavailable
	Tools       int     `json:"tools"` // how many
}

// ToolInfo describes a tool, on the wire too.
type ToolInfo struct {
	Service     string             `json:"service"`
	Name        string             `json:"name"`
	Description string             `json:"description"`
	Params      json.RawMessage    `json:"params"` // a JSON Schema, or null
	Result      json.RawMessage    `json:"result"` // a JSON Schema, or null
	Permission  process.Permission `json:"permission"`
	Declaration string             `json:"declaration"` // in TypeScript
}

// Services lists the services by name.
func (r *Registry) Services() []ServiceInfo {
	all := []ServiceInfo{}
	for _, s := range r.all() {
		all = append(all, s.info())
	}
	own := ServiceInfo{Name: Builtin, Description: builtinDescription, Adapter: "builtin", State: Ready, Tools: 1}
	for i := range all {
		if all[i].Name > own.Name {
			return append(all[:i:i], append([]ServiceInfo{own}, all[i:]...)...)
		}
	}
	return append(all, own)
}

func (s *service) info() ServiceInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := ServiceInfo{Name: s.name, Description: s.description, Adapter: s.kind, State: Ready}
	if i.Description == "" {
		i.Description = s.said
	}
	if s.tools != nil {
		i.Tools = len(s.tools.order)
	}
	if !s.ready {
		reason := s.reason
		i.State, i.Error = Unavailable, &reason
	}
	return i
}

// Tools lists the tools that match a query, the best first; an empty one matches
// all, by name. Tools that the policy denies are listed, too, and say so.
func (r *Registry) Tools(query string) []ToolInfo {
	infos := []ToolInfo{}
	for _, t := range search(r.listed(), query) {
		infos = append(infos, r.info(t))
	}
	return infos
}

// Offered lists the tools that a process may call that was created with such
// patterns, by name: those that the policy does not deny it.
func (r *Registry) Offered(allowed []string) []ToolInfo {
	infos := []ToolInfo{}
	for _, t := range r.listed() {
		if v := r.Permission(t.service, t.Name, allowed); v.Permission != process.Deny {
			i := r.info(t)
			i.Permission = v.Permission
			infos = append(infos, i)
		}
	}
	return infos
}

// Permission says what the policy wants of a tool that a process calls which was
// created with such patterns.
func (r *Registry) Permission(service, tool string, allowed []string) Verdict {
	return r.cfg.Policy.Permission(service, tool, allowed)
}

// Tool describes one tool. It does not wait for its service.
func (r *Registry) Tool(service, tool string) (ToolInfo, error) {
	t, err := r.lookup(service, tool)
	if err != nil {
		return ToolInfo{}, err
	}
	return r.info(t), nil
}

// listed returns every tool that is known, by service and name.
func (r *Registry) listed() []*listed {
	all := []*listed{r.builtin}
	for _, s := range r.all() {
		if l := s.listing(); l != nil {
			all = append(all, l.order...)
		}
	}
	return all
}

func (r *Registry) info(t *listed) ToolInfo {
	return ToolInfo{
		Service: t.service, Name: t.Name, Description: t.Description,
		Params: t.Params, Result: t.Result, Declaration: t.declaration(),
		Permission: r.cfg.Policy.Permission(t.service, t.Name, nil).Permission,
	}
}
