package server

import (
	"cmp"
	"net/http"
	"reflect"
	"strings"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/token"
)

// routes is the table of everything that is served.
func routes() []*route {
	all := append(processRoutes(), overviewRoute())
	all = append(all, eventRoutes()...)
	all = append(all, supervisorRoutes()...)
	all = append(all, toolRoutes()...)
	all = append(all, serverRoutes()...)
	all = append(all, mciRoutes()...)
	for _, r := range all {
		r.group = cmp.Or(r.group, "processes")
	}
	return all
}

const (
	get, post, del = http.MethodGet, http.MethodPost, http.MethodDelete

	conflict  = http.StatusConflict
	notFound  = http.StatusNotFound
	gone      = http.StatusGone
	tooBig    = http.StatusRequestEntityTooLarge
	stopped   = http.StatusServiceUnavailable
	exceeded  = http.StatusGatewayTimeout
	badRange  = http.StatusRequestedRangeNotSatisfiable
	textPlain = "text/plain"
)

var (
	waitParam   = param{name: "wait", kind: "number", min: 1, doc: "How many milliseconds a blocking request waits; then it is answered 504, and the process goes on."}
	followParam = param{name: "follow", kind: "flag", doc: "Stream live output, from any state, to the end of the run."}
	offsetParam = param{name: "offset", kind: "number", doc: "With follow: the byte to start at."}
)

func record(status int) []answer {
	return []answer{{status: status, typ: typeOf[process.Record]()}}
}

func processRoutes() []*route {
	return []*route{
		{method: post, path: "/processes", name: "createProcess", summary: "Create a process", scope: token.ScopeRun,
			doc:    "Creates a process and, unless autorun is false, runs it. The answer is sent when the record is durable; with block, when the run is over.",
			params: []param{waitParam}, body: typeOf[api.Create](),
			answers: []answer{{status: 201, typ: typeOf[process.Record]()},
				{status: 200, typ: typeOf[process.Record](), doc: "The process that an earlier request with the same Idempotency-Key created."}},
			errors: []int{conflict, tooBig, stopped, exceeded}, handle: (*request).create},
		{method: get, path: "/processes", name: "listProcesses", summary: "List processes, newest first", scope: token.ScopeRead,
			params: listParams(), answers: []answer{{status: 200, typ: typeOf[api.List]()}}, handle: (*request).list},
		{method: get, path: "/processes/{$}", name: "noProcess", handle: (*request).noID},
		one(get, "", "getProcess", "Get a process", (*request).show, record(200)),
		one(del, "", "deleteProcess", "Delete an idle process with its events and logs", (*request).remove, record(200), conflict, stopped),
		one(get, "/code", "getCode", "Get what was submitted", (*request).code, []answer{{status: 200, content: textPlain}}),
		one(get, "/output", "getOutput", "Get the structured output", (*request).output, []answer{{status: 200, typ: typeOf[map[string]any]()}}, conflict),
		stream("", "stdout", (*request).stdout), stream("", "stderr", (*request).stderr),
		one(get, "/runs", "listRuns", "List the runs of a process, newest first", (*request).runs, []answer{{status: 200, typ: typeOf[api.Runs]()}}),
		one(get, "/runs/{run}", "getRun", "Get one run", (*request).oneRun, []answer{{status: 200, typ: typeOf[process.RunRecord]()}}),
		one(get, "/runs/{run}/output", "getRunOutput", "Get the structured output of a run", (*request).output, []answer{{status: 200, typ: typeOf[map[string]any]()}}, conflict),
		stream("/runs/{run}", "stdout", (*request).stdout), stream("/runs/{run}", "stderr", (*request).stderr),
		one(get, "/tree", "getTree", "Get a process with those below it", (*request).tree, []answer{{status: 200, typ: typeOf[api.Tree]()}}),
		transcript(), usageRoute(),
		notifications(), renotify(),
		signal("run", "Run an idle process (again)", typeOf[api.Run](), (*request).runAgain, record(200), waitParam),
		signal("kill", "End a process and its whole tree", typeOf[api.Kill](), (*request).kill, record(200), waitParam),
		plainSignal("term", "Ask a program to end"), plainSignal("int", "Interrupt a program"),
		plainSignal("pause", "Stop a process and its clocks"), plainSignal("resume", "Let a paused process go on"),
		inputRoute(), resizeRoute(),
	}
}

// inputRoute is the keyboard of a process.
func inputRoute() *route {
	r := one(post, "/input", "sendInput", "Write to a running process", (*request).input,
		[]answer{{status: 200, typ: typeOf[api.Input]()}}, conflict, stopped)
	r.bytes = true
	r.params = []param{{name: "eof", kind: "flag", doc: "Then end the input; a terminal gets the end-of-file character."}}
	r.doc = "The body is bytes for the terminal or the open stdin of a process, passed on as they come, in order; a body may be sent as slowly as somebody types. " +
		"The answer comes when the program's input has taken them. A process that was created with neither pty nor stdinOpen, or whose input was ended, is 409 no_input."
	return r
}

// resizeRoute is the size of a process's terminal.
func resizeRoute() *route {
	r := one(post, "/resize", "resizeTerminal", "Change the size of a process's terminal", (*request).resize,
		[]answer{{status: 200, typ: typeOf[api.Window]()}}, conflict, tooBig, stopped)
	r.body = typeOf[api.Window]()
	r.doc = "Its programs are told (SIGWINCH). A process without a terminal is 409 no_input."
	return r
}

// one is a route of one process.
func one(method, path, name, summary string, h func(*request) error, answers []answer, errors ...int) *route {
	r := &route{method: method, path: "/processes/{id}" + path, name: name, summary: summary, scope: token.ScopeRead,
		answers: answers, errors: append(errors, notFound), handle: h}
	if method != get {
		r.scope = token.ScopeRun
	}
	return r
}

// transcript is the route of an agent's messages.
func transcript() *route {
	r := one(get, "/transcript", "getTranscript", "Get an agent's messages", (*request).transcript,
		[]answer{{status: 200, typ: typeOf[api.Transcript]()}})
	r.doc = "A page of what was said, in all runs, each message as it was stored: they do not change. Processes that are not agents have none."
	r.params = []param{{name: "after", doc: "The number of the last message that is known.", kind: "number"},
		{name: "limit", doc: "How many messages a page has.", kind: "number", min: 1, max: maxEvents}}
	return r
}

// notifications is the route of who was told, and renotify has it told again.
func notifications() *route {
	r := one(get, "/notifications", "listNotifications", "List the notifications of a process, newest first", (*request).notifications,
		[]answer{{status: 200, typ: typeOf[api.Notifications]()}})
	r.doc = "One for each run that has ended, if the process was created with notify: how far it is, and when it is sent next."
	r.params = []param{{name: "limit", doc: "How many a page has. Default 100.", kind: "number", min: 1, max: process.MaxLimit},
		{name: "cursor", doc: "nextCursor of the page before.", kind: "number", min: 1}}
	return r
}

func renotify() *route {
	r := one(post, "/notifications/{run}/retry", "retryNotification", "Send the notification of a run again", (*request).renotify,
		[]answer{{status: 200, typ: typeOf[process.NotificationRecord]()}}, stopped)
	r.doc = "Now, and with all its attempts before it: one that was given up, one that waits, also one that was delivered. It carries the same id."
	return r
}

// stream is the route of a run's stdout or stderr.
func stream(run, name string, h func(*request) error) *route {
	id := "get" + strings.ToUpper(name[:1]) + name[1:]
	if run != "" {
		id = "getRun" + id[3:]
	}
	r := one(get, run+"/"+name, id, "Get the exact bytes of "+name, h,
		[]answer{{status: 200, content: textPlain}, {status: 206, content: textPlain, doc: "The Range that was asked for."}},
		conflict, gone, badRange)
	r.params = []param{followParam, offsetParam}
	return r
}

func signal(name, summary string, body reflect.Type, h func(*request) error, answers []answer, params ...param) *route {
	r := one(post, "/signals/"+name, "signal"+strings.ToUpper(name[:1])+name[1:], summary, h, answers, conflict, tooBig, stopped)
	r.body, r.bodyOptional, r.params = body, true, params
	if len(params) > 0 {
		r.errors = append(r.errors, exceeded)
	}
	return r
}

func plainSignal(name, summary string) *route {
	return signal(name, summary, typeOf[api.Signal](),
		func(q *request) error { return q.signal(name) }, []answer{{status: 200, typ: typeOf[api.Signaled]()}})
}

func eventRoutes() []*route {
	const sse = "text/event-stream"
	after := param{name: "after", doc: "The number of the last event that is known.", kind: "number"}
	limit := param{name: "limit", doc: "How many events a page has.", kind: "number", min: 1, max: maxEvents}
	one := one(get, "/events", "getEvents", "Get the events of a process", (*request).events,
		[]answer{{status: 200, typ: typeOf[api.Events]()}, {status: 200, content: sse},
			{status: 204, doc: "A stream that is taken up again has ended."}})
	kind := param{name: "kind", doc: "Of one of these kinds.", enum: kinds(), most: 100}
	except := param{name: "except", doc: "Of none of these kinds. Without output_appended there is no output_elided, either, which stands for lines.", enum: kinds(), most: 100}
	before := param{name: "before", doc: "Instead of the first events after a seq, the newest ones below this one, in order.", kind: "number", min: 1}
	one.group, one.params = "events", []param{after, before, limit, kind, except}
	one.doc = "A page, or with Accept: text/event-stream what is stored after a seq and then live events, in order, without gap or repeat, to the end of the newest run. What kind and except leave out costs next to nothing: lines are not read, and a flood of them makes nobody lag."
	after.doc = "The cursor of the last event that is known. Without it the stream starts now."
	return []*route{one, traceRoute(sse), {
		method: get, path: "/events", name: "getAllEvents", group: "events", scope: token.ScopeRead,
		summary: "Get the events of all processes",
		params: []param{after, limit, {name: "tag", doc: "Of processes with this tag."},
			{name: "environment", doc: "Of processes of this environment."},
			kind, except},
		answers: []answer{{status: 200, typ: typeOf[api.AllEvents]()}, {status: 200, content: sse}},
		handle:  (*request).allEvents}}
}

// traceRoute is the stream of a run's kernel calls.
func traceRoute(sse string) *route {
	r := one(get, "/trace", "traceProcess", "Follow the kernel calls of a process", (*request).trace,
		[]answer{{status: 200, content: sse, of: typeOf[process.Syscall]()}}, conflict)
	r.group = "events"
	r.doc = "Server-sent events, each a call as JSON (see Syscall): what the run asks of the kernel and what is done to it, from now until the run is reaped. " +
		"A reader that is slow loses calls, which dropped counts. A process that is idle is 409 not_running."
	return r
}

func serverRoutes() []*route {
	open := func(path, name, summary string, typ reflect.Type, h func(*request) error) *route {
		return &route{method: get, path: path, name: name, group: "server", summary: summary,
			answers: []answer{{status: 200, typ: typ}}, handle: h}
	}
	health, ready := open("/health", "health", "Whether the server is there", typeOf[api.Health](), (*request).health),
		open("/ready", "ready", "Whether the server takes work", typeOf[api.Health](), (*request).ready)
	ready.errors = []int{stopped}
	health.unlimited, ready.unlimited = true, true // asked when all else is busy, too
	version := open("/version", "version", "What is running", typeOf[api.Version](), (*request).version)
	envs := open("/environments", "listEnvironments", "List what can be run in", typeOf[api.Environments](), (*request).environments)
	docs := open("/environments/{name}/docs", "getEnvironmentDocs", "How to write code for an environment", nil, (*request).environmentDocs)
	docs.answers[0].content, docs.errors = "text/markdown", []int{notFound}
	metrics := open("/metrics", "metrics", "Figures for Prometheus", nil, (*request).metrics)
	metrics.answers[0].content, metrics.errors = textPlain, []int{notFound}
	prune := open("/prune", "prune", "Remove old events and output now", typeOf[api.Pruned](), (*request).prune)
	prune.method, prune.body, prune.bodyOptional, prune.errors = post, typeOf[api.Prune](), true, []int{tooBig}
	spec := open("/openapi.json", "openapi", "This description", typeOf[map[string]any](), (*request).openapi)
	page := open("/docs", "docs", "This description, for people", nil, (*request).docs)
	page.answers[0].content = "text/html"
	for _, r := range []*route{ready, version, envs, docs, metrics, spec, page} {
		r.scope = token.ScopeRead
	}
	prune.scope = token.ScopeAdmin
	return append(dashboardRoutes(), health, ready, version, envs, docs, metrics, prune, spec, page)
}

// dashboardRoutes are open to all: the files are in every copy of the program,
// and the page asks for a token by itself.
func dashboardRoutes() []*route {
	page := &route{method: get, path: "/{$}", name: "dashboard", group: "server", summary: "The dashboard for browsers",
		answers: []answer{{status: 200, content: "text/html"}}, handle: (*request).dashboard}
	asset := &route{method: get, path: "/assets/{file}", name: "dashboardFile", group: "server", summary: "A file of the dashboard",
		answers: []answer{{status: 200, content: "application/octet-stream"}}, errors: []int{notFound}, handle: (*request).dashboardFile}
	return []*route{page, asset}
}

func listParams() []param {
	return []param{
		{name: "ids", doc: "Of these. What does not exist is just not there.", kind: "number", min: 1, most: process.MaxLimit},
		{name: "state", doc: "In one of these states.", enum: names(process.States()), most: 100},
		{name: "status", doc: "With one of these outcomes; null: none yet.", enum: append(names(process.ExitStates()), "null"), most: 100},
		{name: "paused", doc: "1: only those that are paused.", kind: "flag"},
		{name: "text", doc: "Found in the id, ref, label, tags, environment, command line or the first 200 characters of the code, in any case of letters."},
		{name: "ref", doc: "With this ref."}, {name: "tag", doc: "With this tag."},
		{name: "environment", doc: "Of this environment."},
		{name: "parent", doc: "Directly below this process.", kind: "number", min: 1},
		{name: "since", doc: "Created at or after.", kind: "time"}, {name: "until", doc: "Created before.", kind: "time"},
		{name: "limit", doc: "How many a page has. Default 100.", kind: "number", min: 1, max: process.MaxLimit},
		{name: "cursor", doc: "nextCursor of the page before."},
		{name: "include", doc: "What else to show of each, separated by commas: code, output, stdout, stderr."},
	}
}

func names[T ~string](all []T) (out []string) {
	for _, v := range all {
		out = append(out, string(v))
	}
	return out
}
