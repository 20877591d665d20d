package server

import (
	"net/http"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/token"
)

// supervisorRoutes are about supervision trees. Supervisors are processes, too.
func supervisorRoutes() []*route {
	record := []answer{{status: http.StatusOK, typ: typeOf[api.SupervisorRecord]()}}
	all := []*route{
		{method: post, path: "/supervisors", name: "createSupervisor", summary: "Start a supervision tree", scope: token.ScopeRun,
			doc:  "Starts the children in their order and runs them again when they end. The answer is sent when they have been started, or could not be. The body may also be YAML (Content-Type: application/yaml), as reeve up reads it; its directories are absolute, and errors name the line.",
			yaml: true,
			body: typeOf[api.Supervisor](), errors: []int{conflict, tooBig, stopped}, handle: (*request).supervise,
			answers: []answer{{status: 201, typ: typeOf[api.SupervisorRecord]()},
				{status: 200, typ: typeOf[api.SupervisorRecord](), doc: "The supervisor that an earlier request with the same Idempotency-Key created."}}},
		{method: get, path: "/supervisors", name: "listSupervisors", summary: "List supervisors, newest first", scope: token.ScopeRead,
			params: []param{{name: "limit", doc: "How many a page has. Default 100.", kind: "number", min: 1, max: process.MaxLimit},
				{name: "cursor", doc: "nextCursor of the page before."}},
			answers: []answer{{status: 200, typ: typeOf[api.Supervisors]()}}, handle: (*request).supervisors},
		{method: get, path: "/supervisors/{$}", name: "noSupervisor", handle: (*request).noID},
		{method: get, path: "/supervisors/{id}", name: "getSupervisor", summary: "Get a supervisor with its children", scope: token.ScopeRead,
			answers: record, errors: []int{notFound}, handle: (*request).oneSupervisor},
		{method: del, path: "/supervisors/{id}", name: "deleteSupervisor", summary: "End a supervisor with its children, or delete an idle one", scope: token.ScopeRun,
			doc:    "One that runs is ended, with all below it, and answered when that is over; it is then idle. An idle one is deleted with what is below it.",
			params: []param{waitParam}, answers: record, errors: []int{notFound, conflict, stopped, exceeded}, handle: (*request).removeSupervisor},
	}
	for _, r := range all {
		r.group = "supervisors"
	}
	return all
}
