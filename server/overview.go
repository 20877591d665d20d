package server

import (
	"net/http"
	"strconv"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/token"
)

// overviewRoute is what a dashboard shows above everything else.
func overviewRoute() *route {
	return &route{method: get, path: "/overview", name: "getOverview", group: "processes", scope: token.ScopeRead,
		summary: "Get how all processes are, in numbers",
		doc:     "Counts are kept up to date as things happen, so it may be asked for often; tags may be some seconds old where there are very many.",
		answers: []answer{{status: 200, typ: typeOf[api.Overview]()}}, handle: (*request).overview}
}

func (q *request) overview() error {
	o, err := q.s.rt.Overview(q.r.Context())
	if err != nil {
		return err
	}
	all := api.Overview{Cursor: strconv.FormatInt(o.Cursor, 10), At: process.Stamp{Time: o.At}, Total: o.Total, Paused: o.Paused,
		States: map[string]int{}, ExitStates: map[string]int{"none": o.ExitStates[process.ExitNone]},
		Environments: o.Environments, Tags: o.Tags, Approvals: o.Approvals,
		Activity: api.Activity{StepMS: o.Activity.Step.Milliseconds(), From: process.Stamp{Time: o.Activity.From},
			Created: o.Activity.Created, Succeeded: o.Activity.Succeeded, Failed: o.Activity.Failed}}
	if all.Tags == nil {
		all.Tags = []process.TagCount{}
	}
	for _, s := range process.States() {
		all.States[string(s)] = o.States[s]
	}
	for _, s := range process.ExitStates() {
		all.ExitStates[string(s)] = o.ExitStates[s]
	}
	return q.answer(http.StatusOK, all)
}
