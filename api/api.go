package api

import "github.com/reeverun/reeve/process"

// Run is the body of POST /processes/{id}/signals/run.
type Run struct {
	Force  bool `json:"force,omitempty" doc:"Run it although it has outputs. Earlier runs are kept."`
	Resume bool `json:"resume,omitempty" doc:"Go on from the last step it finished, instead of anew; for agents. Implies force."`
	Block  bool `json:"block,omitempty" doc:"Answer when it has finished."`
}

// Kill is the body of POST /processes/{id}/signals/kill.
type Kill struct {
	Now   bool   `json:"now,omitempty" doc:"SIGKILL at once, instead of SIGTERM and a grace."`
	Grace Millis `json:"grace,omitzero" minimum:"0" doc:"Milliseconds between SIGTERM and SIGKILL, instead of the process's own."`
	Tree  *bool  `json:"tree,omitempty" default:"true" doc:"Also kill its child processes."`
	Block bool   `json:"block,omitempty" doc:"Answer when it is over."`
}

// Signal is the body of POST /processes/{id}/signals/term, int, pause and resume.
type Signal struct {
	Tree bool `json:"tree,omitempty" doc:"Also its child processes."`
	Now  bool `json:"now,omitempty" doc:"pause: do not wait for a step to finish."`
}

// Signaled is the answer to a Signal.
type Signaled struct {
	Affected int            `json:"affected" doc:"How many processes it reached."`
	Process  process.Record `json:"process"`
}

// List is a page of processes.
type List struct {
	Processes  []process.Record `json:"processes" nullable:"false"`
	NextCursor *string          `json:"nextCursor" doc:"The cursor of the next page; null on the last one."`
}

// Runs are the runs of a process, newest first.
type Runs struct {
	Runs []process.RunRecord `json:"runs" nullable:"false"`
}

// Tree is a process with those below it.
type Tree struct {
	process.Record
	Children []Tree `json:"children" nullable:"false"`
}

// Transcript is a page of an agent's messages.
type Transcript struct {
	Messages []process.Message `json:"messages" nullable:"false"`
	Next     int64             `json:"next" doc:"The after= of the next page."`
}

// Notifications is a page of a process's notifications, newest first.
type Notifications struct {
	Notifications []process.NotificationRecord `json:"notifications" nullable:"false"`
	NextCursor    *string                      `json:"nextCursor" doc:"The cursor of the next page; null on the last one."`
}

// Events is a page of events of one process.
type Events struct {
	Events []process.Event `json:"events" nullable:"false"`
	Next   int64           `json:"next" doc:"The after= of the next page, or of a stream that goes on where this page ends."`
	Last   int64           `json:"last" doc:"The seq of the newest event of the process."`
}

// AllEvents is a page of events of all processes.
type AllEvents struct {
	Events []process.Event `json:"events" nullable:"false"`
	Next   string          `json:"next" doc:"The after= of the next page."`
}

// Environment is something that can be run in.
type Environment struct {
	Name             string `json:"name"`
	Default          bool   `json:"default" doc:"Used where a create names none."`
	Slots            *int   `json:"slots" doc:"How many run at a time; null: no limit."`
	DefaultTimeoutMS *int64 `json:"defaultTimeoutMs" doc:"For processes that name no timeout; null: none."`
}

// Environments is what GET /environments answers.
type Environments struct {
	Environments []Environment `json:"environments" nullable:"false"`
}

// Prune is the body of POST /prune.
type Prune struct {
	Events Millis `json:"events,omitzero" minimum:"0" doc:"Remove events older than this many milliseconds, instead of the retention's."`
	Logs   Millis `json:"logs,omitzero" minimum:"0" doc:"The same for output."`
}

// Pruned counts what was removed.
type Pruned struct {
	Events int `json:"events"`
	Logs   int `json:"logs" doc:"Runs whose output is gone."`
}

// Health is what GET /health and /ready answer.
type Health struct {
	Status string `json:"status" example:"ok"`
}

// Version is what GET /version answers.
type Version struct {
	Version string   `json:"version"`
	Commit  string   `json:"commit"`
	Go      string   `json:"go"`
	Engines []string `json:"engines" nullable:"false" example:"[\"typescript: v8 13.6.233.10\"]" doc:"What runs programs, by environment."`
	PID     int      `json:"pid" doc:"Of the daemon."`
	DataDir string   `json:"dataDir"`
}

// Error is every answer that is not a success.
type Error struct {
	Message string       `json:"error" doc:"A sentence for a person."`
	Code    process.Code `json:"code" doc:"For programs."`
}

// The codes that only the edge answers, beside those of process.Error.
const (
	CodeUnauthorized     process.Code = "unauthorized"
	CodeForbidden        process.Code = "forbidden"
	CodeMethodNotAllowed process.Code = "method_not_allowed"
	CodeTooLarge         process.Code = "too_large"
	CodeBadRange         process.Code = "range_not_satisfiable"
	CodeTooManyRequests  process.Code = "too_many_requests"
	CodeWaitExceeded     process.Code = "wait_exceeded"
	CodeInternal         process.Code = "internal"
)
