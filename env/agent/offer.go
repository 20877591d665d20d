package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/reeverun/reeve/env/agent/model"
)

// maxOffered bounds how many tools a model is shown: providers take 128. The
// others can be looked for.
const maxOffered = 100

// offers are the tools of one step, by the names the model knows them by.
type offers struct {
	list  []model.Tool
	tools map[string]Tool // nil: none
	own   []own           // few: who waits for its model holds them
	envs  []string        // in which children may be started
}

// offer collects what the run may call now. Services come and go.
func (r *run) offer(ctx context.Context) *offers {
	o := &offers{}
	allowed := r.in.Spec.Options.Tools
	if r.cfg.Spec != nil && r.cfg.Environments != nil {
		o.envs = r.cfg.Environments(allowed)
	}
	var all []Tool
	if r.cfg.Tools != nil {
		all = r.cfg.Tools(ctx, allowed)
	}
	searched := len(all) > maxOffered
	o.own = ownTools(o.envs, searched)
	if len(all) > 0 {
		o.tools = make(map[string]Tool, min(len(all), maxOffered))
	}
	for _, t := range o.own {
		o.list = append(o.list, model.Tool{Name: t.Name, Description: t.Description, Params: json.RawMessage(t.Params)})
	}
	for _, t := range all[:min(len(all), maxOffered)] {
		if t.Service == builtin { // search is worth its place only where something is left out
			continue
		}
		name := o.name(t.Service + "__" + t.Name)
		o.tools[name] = t
		o.list = append(o.list, model.Tool{Name: name, Description: t.Description, Params: schema(t.Params)})
	}
	return o
}

// builtin is the service of the tools that the registry itself has.
const builtin = "reeve"

const maxName = 64

// name makes a name that every provider takes, and that no other tool has.
func (o *offers) name(s string) string {
	safe := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' {
			return c
		}
		return '_'
	}, s)
	if len(safe) > maxName {
		h := fnv.New32a()
		_, _ = h.Write([]byte(s))
		safe = fmt.Sprintf("%s_%08x", safe[:maxName-9], h.Sum32())
	}
	unique := safe
	for n := 2; o.taken(unique); n++ {
		suffix := fmt.Sprintf("_%d", n)
		unique = safe[:min(len(safe), maxName-len(suffix))] + suffix
	}
	return unique
}

func (o *offers) taken(name string) bool {
	_, own := o.ownTool(name)
	_, other := o.tools[name]
	return own || other
}

// ownTool finds one of the agent's own.
func (o *offers) ownTool(name string) (own, bool) {
	for _, t := range o.own {
		if t.Name == name {
			return t, true
		}
	}
	return own{}, false
}

// names are those of all tools, for a model that invents one.
func (o *offers) names() string {
	var all []string
	for _, t := range o.list {
		all = append(all, t.Name)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// schema makes the schema of a tool one that providers take: of an object, and
// without alternatives at its top, which the call itself is checked against.
func schema(raw json.RawMessage) json.RawMessage {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		fields = map[string]json.RawMessage{}
	}
	changed := false
	set := func(name, value string) {
		if string(fields[name]) != value {
			fields[name], changed = json.RawMessage(value), true
		}
	}
	set("type", `"object"`)
	if fields["properties"] == nil {
		set("properties", "{}")
	}
	for _, name := range []string{"oneOf", "anyOf", "allOf"} {
		if fields[name] != nil {
			delete(fields, name)
			changed = true
		}
	}
	if !changed {
		return raw
	}
	made, err := json.Marshal(fields)
	if err != nil {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return made
}
