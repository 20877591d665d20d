package server

import (
	"cmp"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/token"
)

// description is the table of routes with what was made of it.
type description struct {
	routes []*route
	spec   *huma.OpenAPI
	json   []byte // of GET /openapi.json
}

// everywhere are the statuses any route can answer.
var everywhere = []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests}

// describe makes the OpenAPI description and the schemas that bodies are
// checked by.
func describe(routes []*route, version string) (*description, error) {
	reg := newRegistry()
	d := &description{routes: routes, spec: &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{Title: "Reeve", Version: cmp.Or(version, "devel"),
			Description: "Runs commands, programs and agents as processes with a durable record, a tree, signals, ordered events and complete output."},
		Servers: []*huma.Server{{URL: "/"}},
		Components: &huma.Components{Schemas: reg, SecuritySchemes: map[string]*huma.SecurityScheme{
			"token": {Type: "http", Scheme: "bearer", Description: "Needed over TCP once a token exists, and to decide approvals in any case: reeve token create."}}},
		Paths: map[string]*huma.PathItem{},
		Tags: []*huma.Tag{{Name: "processes", Description: "Create, inspect and control processes."},
			{Name: "supervisors", Description: "Processes that start others and run them again."},
			{Name: "events", Description: "What happened, as pages and streams."},
			{Name: "tools", Description: "What programs can call, and what people decide about."},
			{Name: "server", Description: "What the server can do and how it is."},
			{Name: "mci", Description: "The same for clients of MCI: pid for the id, status for the outcome."}},
	}}
	errorSchema := reg.Schema(typeOf[api.Error](), true, "")
	for _, r := range routes {
		if r.body != nil {
			r.bodySchema = reg.Schema(r.body, true, "")
		}
		if r.summary != "" { // else it only refuses
			d.add(r, errorSchema)
		}
	}
	// Bodies are checked by schemas in which an optional field may be null;
	// what is told of answers is exact.
	nullableObjects(reg)
	b, err := d.spec.MarshalJSON()
	d.json = b
	return d, err
}

func (d *description) add(r *route, errorSchema *huma.Schema) {
	op := &huma.Operation{OperationID: r.name, Summary: r.summary, Description: r.doc, Tags: []string{r.group},
		Parameters: d.parameters(r), Responses: map[string]*huma.Response{}}
	switch r.scope {
	case "":
		op.Security = []map[string][]string{{}}
	case token.ScopeApprove: // always
		op.Security = []map[string][]string{{"token": {}}}
	default:
		op.Security = []map[string][]string{{"token": {}}, {}}
	}
	if r.body != nil {
		op.RequestBody = &huma.RequestBody{Required: !r.bodyOptional,
			Content: map[string]*huma.MediaType{"application/json": {Schema: r.bodySchema}}}
	}
	if r.yaml {
		op.RequestBody.Content["application/yaml"] = &huma.MediaType{Schema: r.bodySchema}
	}
	if r.bytes {
		op.RequestBody = &huma.RequestBody{Content: map[string]*huma.MediaType{
			"application/octet-stream": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}}
	}
	for _, a := range r.answers {
		d.addAnswer(op, a)
	}
	for _, status := range append(r.errors, everywhere...) {
		op.Responses[strconv.Itoa(status)] = &huma.Response{Description: http.StatusText(status),
			Content: map[string]*huma.MediaType{"application/json": {Schema: errorSchema}}}
	}
	path := strings.TrimSuffix(wildcard.ReplaceAllString(r.path, "{$1}"), "{$}")
	item := d.spec.Paths[path]
	if item == nil {
		item = &huma.PathItem{}
		d.spec.Paths[path] = item
	}
	switch r.method {
	case http.MethodGet:
		item.Get = op
	case http.MethodPost:
		item.Post = op
	case http.MethodDelete:
		item.Delete = op
	}
}

var wildcard = regexp.MustCompile(`\{(\w+)\}`)

func (d *description) addAnswer(op *huma.Operation, a answer) {
	key := strconv.Itoa(a.status)
	res := op.Responses[key]
	if res == nil {
		res = &huma.Response{Description: cmp.Or(a.doc, http.StatusText(a.status))}
		op.Responses[key] = res
	}
	content, schema := a.content, &huma.Schema{Type: huma.TypeString}
	if a.typ != nil {
		content, schema = "application/json", d.spec.Components.Schemas.Schema(a.typ, true, "")
	}
	if content == "" {
		return
	}
	if a.of != nil {
		d.spec.Components.Schemas.Schema(a.of, true, "") // named, for the description to refer to
	}
	if res.Content == nil {
		res.Content = map[string]*huma.MediaType{}
	}
	res.Content[content] = &huma.MediaType{Schema: schema}
}

func (d *description) parameters(r *route) (all []*huma.Param) {
	for _, m := range wildcard.FindAllStringSubmatch(r.path, -1) {
		p := &huma.Param{Name: m[1], In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString}}
		if m[1] == "id" || m[1] == "run" {
			one := 1.0
			p.Schema = &huma.Schema{Type: huma.TypeInteger, Minimum: &one}
		}
		all = append(all, p)
	}
	for _, p := range r.params {
		all = append(all, p.describe())
	}
	if r.name == "createProcess" || r.name == "createSupervisor" {
		all = append(all, &huma.Param{Name: "Idempotency-Key", In: "header", Schema: &huma.Schema{Type: huma.TypeString},
			Description: "The same key and body within 24 hours answer with the same process."})
	}
	return all
}

func (p *param) describe() *huma.Param {
	d := &huma.Param{Name: p.name, In: "query", Description: p.doc, Schema: p.schema()}
	if p.most > 0 { // a list, with commas between its values
		joined := false
		d.Schema, d.Style, d.Explode = &huma.Schema{Type: huma.TypeArray, Items: d.Schema, MaxItems: &p.most}, "form", &joined
	}
	return d
}

func (p *param) schema() *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString}
	switch p.kind {
	case "number":
		lowest := float64(p.min)
		s = &huma.Schema{Type: huma.TypeInteger, Minimum: &lowest}
		if p.max > 0 {
			highest := float64(p.max)
			s.Maximum = &highest
		}
	case "flag":
		s.Enum = []any{"0", "1", "true", "false"}
	case "time":
		s.Format = "date-time"
	}
	for _, e := range p.enum {
		s.Enum = append(s.Enum, e)
	}
	return s
}
