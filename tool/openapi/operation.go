package openapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/reeverun/reeve/tool"
)

// operation is how a tool's parameters become a request.
type operation struct {
	method string
	path   string // with {names}
	params []parameter
	body   *body // nil: it has none
}

// parameter is one that is sent outside the body.
type parameter struct {
	key     string // its name among the tool's parameters
	name    string // its name on the wire
	in      string // path, query, header
	style   string
	explode bool
	json    bool // sent as JSON text
}

// body is what a request carries.
type body struct {
	key       string // of the tool's parameter that holds it; empty: all that are no parameter
	mediaType string
}

var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}

// The bounds of what a document becomes: one thing in it can be referred to by
// any number of operations.
const (
	maxOperations = 10_000
	maxSchemas    = 64 << 20 // bytes of all schemas; operations beyond are not described
)

// tools makes a tool of each operation. own says which parameters are not the
// program's to give.
func (d *document) tools(own func(in, name string) bool) ([]tool.Tool, map[string]*operation, error) {
	var tools []tool.Tool
	ops := map[string]*operation{}
	size := 0
	paths, _ := d.root["paths"].(object)
	for _, path := range keys(paths) {
		item := d.resolve(paths[path])
		for _, method := range methods {
			o := d.resolve(item[method])
			if o == nil || !strings.HasPrefix(path, "/") {
				continue
			}
			name := tool.SafeName(operationName(o, method, path), func(s string) bool { return ops[s] != nil })
			if len(tools) == maxOperations {
				return nil, nil, fmt.Errorf("it has more than %d operations", maxOperations)
			}
			d.spent = size > maxSchemas
			t, op := d.operation(item, o, method, path, own)
			t.Name = name
			tools, ops[name] = append(tools, t), op
			size += len(t.Params) + len(t.Result)
		}
	}
	return tools, ops, nil
}

var notName = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

func operationName(o object, method, path string) string {
	if id := strings.TrimSpace(text(o["operationId"])); id != "" {
		return id
	}
	return strings.Trim(notName.ReplaceAllString(method+path, "_"), "_")
}

// operation reads one operation.
func (d *document) operation(item, o object, method, path string, own func(in, name string) bool) (tool.Tool, *operation) {
	b := builder{
		doc: d, own: own, schemas: newSchemas(d, true),
		op:         &operation{method: strings.ToUpper(method), path: path},
		properties: object{},
	}
	b.parameters(item, o)
	b.body(d.resolve(o["requestBody"]))
	t := tool.Tool{
		Description: cmp.Or(about(o["summary"], o["description"]), strings.ToUpper(method)+" "+path),
		Params:      b.schema(),
		Result:      d.result(o),
	}
	if o["deprecated"] == true {
		t.Description += "\nDeprecated."
	}
	return t, b.op
}

// builder gathers the parameters of one operation.
type builder struct {
	doc        *document
	own        func(in, name string) bool
	schemas    *schemas
	op         *operation
	properties object
	required   []string
	open       any // what further properties are; nil: there are none
}

// schema is the JSON Schema of all parameters.
func (b *builder) schema() json.RawMessage {
	if b.doc.spent {
		return json.RawMessage(`{"type":"object"}`)
	}
	s := object{"type": "object", "properties": b.properties, "additionalProperties": false}
	if b.open != nil {
		s["additionalProperties"] = b.open
	}
	if len(b.required) > 0 {
		slices.Sort(b.required)
		s["required"] = slices.Compact(b.required)
	}
	if len(b.schemas.defs) > 0 {
		s["$defs"] = b.schemas.defs
	}
	raw, _ := json.Marshal(s) // made of what JSON can hold
	return raw
}

var pathParam = regexp.MustCompile(`\{([^{}]*)\}`)

// parameters adds those of the path item and of the operation, which win.
func (b *builder) parameters(item, o object) {
	type id struct{ in, name string }
	all := map[id]object{}
	var order []id
	for _, list := range []any{item["parameters"], o["parameters"]} {
		declared, _ := list.([]any)
		for _, v := range declared {
			p := b.doc.resolve(v)
			at := id{text(p["in"]), text(p["name"])}
			if all[at] == nil {
				order = append(order, at)
			}
			all[at] = p
		}
	}
	for _, match := range pathParam.FindAllStringSubmatch(b.op.path, -1) {
		if at := (id{"path", match[1]}); all[at] == nil { // forgotten in the document
			all[at] = object{"schema": object{"type": "string"}}
			order = append(order, at)
		}
	}
	for _, at := range order {
		known := at.in == "path" || at.in == "query" || at.in == "header"
		if known && at.name != "" && !b.own(at.in, at.name) {
			b.parameter(at.in, at.name, all[at])
		}
	}
}

func (b *builder) parameter(in, name string, p object) {
	key := name
	for n := 0; b.properties[key] != nil && n < maxDepth; n++ {
		key = in + "_" + key // the same name in another place
	}
	sent := parameter{key: key, name: name, in: in, style: cmp.Or(text(p["style"]), defaultStyle(in))}
	sent.explode = sent.style == "form"
	if explode, ok := p["explode"].(bool); ok {
		sent.explode = explode
	}
	schema := p["schema"]
	if content, ok := p["content"].(object); ok && schema == nil {
		for _, mediaType := range keys(content) {
			schema = member(content[mediaType], "schema")
			sent.json = isJSON(mediaType)
		}
	}
	b.properties[key] = described(b.schemas.of(schema, 0), text(p["description"]))
	if p["required"] == true || in == "path" {
		b.required = append(b.required, key)
	}
	b.op.params = append(b.op.params, sent)
}

// maxAbout bounds the description of one parameter.
const maxAbout = 4 << 10

// described gives a schema the description of its parameter.
func described(schema any, description string) any {
	if description == "" {
		return schema
	}
	description = tool.Clip(description, maxAbout)
	s, ok := schema.(object)
	if !ok {
		return object{"description": description}
	}
	s["description"] = description
	return s
}

func defaultStyle(in string) string {
	if in == "query" {
		return "form"
	}
	return "simple"
}

// keys returns the keys of an object in order.
func keys(o object) []string {
	all := make([]string, 0, len(o))
	for k := range o {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}
