package server

import (
	_ "embed"
	"html/template"
	"net/http"
	"sort"
)

//go:embed docs.html
var docsPage string

// docs renders the table of routes for people, without a script.
func (q *request) docs() error {
	page, err := template.New("docs").Parse(docsPage)
	if err != nil {
		return err
	}
	h := q.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	return ignoreWrite(page.Execute(q.w, q.s.desc.page(q.s.cfg.Version.Version)))
}

type docsData struct {
	Version string
	Groups  []docsGroup
}

type docsGroup struct {
	Name   string
	Routes []docsRoute
}

type docsRoute struct {
	Method, Path, Summary, Doc, Scope string
	Params, Fields                    []docsField
	Statuses                          []docsStatus
}

type docsField struct{ Name, Type, Doc string }

type docsStatus struct {
	Code int
	Text string
}

func (d *description) page(version string) docsData {
	data := docsData{Version: version}
	for _, name := range []string{"processes", "events", "tools", "supervisors", "server", "mci"} {
		group := docsGroup{Name: name}
		for _, r := range d.routes {
			if r.group == name {
				group.Routes = append(group.Routes, d.docsRoute(r))
			}
		}
		data.Groups = append(data.Groups, group)
	}
	return data
}

func (d *description) docsRoute(r *route) docsRoute {
	out := docsRoute{Method: r.method, Path: r.path, Summary: r.summary, Doc: r.doc, Scope: string(r.scope)}
	for _, p := range r.params {
		out.Params = append(out.Params, docsField{p.name, p.schema().Type, p.doc})
	}
	if r.bodySchema != nil {
		s := d.spec.Components.Schemas.SchemaFromRef(r.bodySchema.Ref)
		for name, f := range s.Properties {
			kind := f.Type
			if kind == "" {
				kind = "object"
			}
			out.Fields = append(out.Fields, docsField{name, kind, f.Description})
		}
		sort.Slice(out.Fields, func(i, j int) bool { return out.Fields[i].Name < out.Fields[j].Name })
	}
	for _, a := range r.answers {
		out.Statuses = append(out.Statuses, docsStatus{a.status, a.doc})
	}
	for _, code := range r.errors {
		out.Statuses = append(out.Statuses, docsStatus{code, http.StatusText(code)})
	}
	return out
}
