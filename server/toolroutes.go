package server

import (
	"net/http"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/token"
)

// toolRoutes are about what programs can call, and what people decide about.
func toolRoutes() []*route {
	all := []*route{
		{path: "/services", name: "listServices", summary: "List the services whose tools programs can call",
			answers: []answer{{status: 200, typ: typeOf[api.Services]()}}, handle: (*request).services},
		{path: "/tools", name: "listTools", summary: "Find tools",
			doc: "The tools that match the query, the best first; without one all of them, by service and name. Tools that the policy denies are listed, too, and say so.",
			params: []param{{name: "query", doc: "Words to look for in service, name and description.", mayBlank: true},
				{name: "service", doc: "Of this service."},
				{name: "limit", doc: "How many at most. Default: all.", kind: "number", min: 1, max: process.MaxLimit}},
			answers: []answer{{status: 200, typ: typeOf[api.Tools]()}}, handle: (*request).tools},
		{path: "/tools/{service}/{tool}", name: "getTool", summary: "Get a tool",
			answers: []answer{{status: 200, typ: typeOf[api.Tool]()}}, errors: []int{notFound}, handle: (*request).tool},
		{path: "/approvals", name: "listApprovals", summary: "List approvals, newest first",
			doc: "Tool calls about which a person decides, or decided.",
			params: []param{{name: "state", doc: "In this state.", enum: names(process.ApprovalStates())},
				{name: "process", doc: "Of this process.", kind: "number", min: 1},
				{name: "limit", doc: "How many a page has. Default 100.", kind: "number", min: 1, max: process.MaxLimit},
				{name: "cursor", doc: "nextCursor of the page before."}},
			answers: []answer{{status: 200, typ: typeOf[api.Approvals]()}}, handle: (*request).approvals},
		{path: "/approvals/{$}", name: "noApproval", handle: (*request).noApproval},
		{path: "/approvals/{id}", name: "getApproval", summary: "Get an approval",
			answers: []answer{{status: 200, typ: typeOf[process.Approval]()}}, errors: []int{notFound}, handle: (*request).approval},
		decision("approve", "Let a tool call go ahead", (*request).approve),
		decision("deny", "Refuse a tool call", (*request).deny),
	}
	for _, r := range all {
		r.group = "tools"
		if r.method == "" {
			r.method, r.scope = get, token.ScopeRead
		}
	}
	return all
}

func decision(name, summary string, h func(*request) error) *route {
	return &route{method: post, path: "/approvals/{id}/" + name, name: name + "Call", summary: summary, scope: token.ScopeApprove,
		doc:  "Needs a token with the scope approve, on the socket too. The answer is sent when the decision is durable; of several decisions the first counts, the others are 409.",
		body: typeOf[api.Decision](), bodyOptional: true,
		answers: []answer{{status: http.StatusOK, typ: typeOf[process.Approval]()}},
		errors:  []int{notFound, conflict, tooBig, stopped}, handle: h}
}
