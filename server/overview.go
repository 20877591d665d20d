package server

import (
	"math"
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

// usageRoute is what one run used as time went by.
func usageRoute() *route {
	r := one(get, "/usage", "getUsage", "Get what a run used as time went by", (*request).usage,
		[]answer{{status: 200, typ: typeOf[process.UsageSeries]()}})
	r.params = []param{{name: "run", doc: "The number of a run. Default: the newest one.", kind: "number", min: 1, max: math.MaxInt32}}
	r.doc = "At most 300 samples, stepMs apart, which doubles as the run grows. They are kept as long as its output. " +
		"A run that was over in a moment has none; while a run is paused, or has no host, there is a hole. Agents have samples of their tokens."
	return r
}

func (q *request) usage() error {
	id, err := q.id()
	if err != nil {
		return err
	}
	run, _ := strconv.Atoi(q.query("run")) // checked by the route
	series, err := q.s.rt.Usage(q.r.Context(), id, run)
	if err != nil {
		return err
	}
	if series.Samples == nil {
		series.Samples = []process.UsageSample{}
	}
	return q.answer(http.StatusOK, series)
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
