package server

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/tool"
)

func (q *request) services() error {
	all := api.Services{Services: []api.Service{}}
	if q.s.cfg.Tools != nil {
		for _, s := range q.s.cfg.Tools.Services() {
			all.Services = append(all.Services, api.Service{Name: s.Name, Description: s.Description, Adapter: s.Adapter,
				State: string(s.State), Error: s.Error, Tools: s.Tools})
		}
	}
	return q.answer(http.StatusOK, all)
}

func (q *request) tools() error {
	all := api.Tools{Tools: []api.Tool{}}
	if q.s.cfg.Tools == nil {
		return q.answer(http.StatusOK, all)
	}
	service := q.query("service")
	limit, _ := strconv.Atoi(q.query("limit")) // checked; 0: all
	for _, t := range q.s.cfg.Tools.Tools(q.query("query")) {
		if limit > 0 && len(all.Tools) == limit {
			break
		}
		if service == "" || t.Service == service {
			all.Tools = append(all.Tools, shownTool(t))
		}
	}
	return q.answer(http.StatusOK, all)
}

func (q *request) tool() error {
	service, name := q.r.PathValue("service"), q.r.PathValue("tool")
	if q.s.cfg.Tools == nil {
		return process.Errorf(process.CodeNotFound, "there is no tool %s/%s: this server has none", shorten(service), shorten(name))
	}
	t, err := q.s.cfg.Tools.Tool(service, name)
	if err != nil { // it says which there are, or why they are not known
		return process.Errorf(process.CodeNotFound, "%v", err)
	}
	return q.answer(http.StatusOK, shownTool(t))
}

// shownTool is a tool on the wire. Where a tool does not say what it takes it
// takes any object.
func shownTool(t tool.ToolInfo) api.Tool {
	shown := api.Tool{Service: t.Service, Name: t.Name, Description: t.Description, Params: t.Params, Result: t.Result,
		Permission: t.Permission, Declaration: t.Declaration}
	if len(shown.Params) == 0 {
		shown.Params = json.RawMessage(`{"type":"object"}`)
	}
	return shown
}
