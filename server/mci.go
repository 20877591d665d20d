package server

import (
	"strings"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// The facade for clients of MCI: the routes of processes below /mci, with pid
// for the id and status for the outcome.

type mciRecord struct {
	PID    process.ID         `json:"pid"`
	Ref    *string            `json:"ref"`
	State  process.State      `json:"state"`
	Status *process.ExitState `json:"status"`
	Error  *string            `json:"error"`
}

type mciList struct {
	Processes []mciRecord `json:"processes" nullable:"false"`
}

type mciCreated struct {
	PID process.ID `json:"pid"`
}

type mciCreate struct {
	Code        string     `json:"code" doc:"What to run."`
	Ref         *string    `json:"ref,omitempty" doc:"A name that no other existing process carries."`
	Timeout     api.Millis `json:"timeout,omitzero" minimum:"1" doc:"Milliseconds; null: no limit."`
	Block       bool       `json:"block,omitempty" doc:"Answer when it has finished."`
	Autorun     *bool      `json:"autorun,omitempty" default:"true" doc:"Run it at once."`
	Environment string     `json:"environment,omitempty" doc:"What executes it."`
}

func mciOf(p *process.Process) mciRecord {
	r := p.Record()
	return mciRecord{PID: r.ID, Ref: r.Ref, State: r.State, Status: r.ExitState, Error: r.Error}
}

func mciPage(all []process.Process) mciList {
	l := mciList{Processes: make([]mciRecord, len(all))}
	for i := range all {
		l.Processes[i] = mciOf(&all[i])
	}
	return l
}

func (q *request) mciCreate() error {
	var body mciCreate
	raw, err := q.decode(&body)
	if err != nil {
		return err
	}
	create := &api.Create{Code: &body.Code, Ref: body.Ref, Autorun: body.Autorun, Block: body.Block,
		Environment: body.Environment, Options: &api.Options{Timeout: body.Timeout}}
	return q.spawn(create, raw)
}

// mciRoutes are the routes of processes again, with other records.
func mciRoutes() []*route {
	var all []*route
	for _, r := range append(processRoutes(), eventRoutes()[0]) {
		m := *r
		m.mci, m.group = true, "mci"
		m.path = "/mci" + m.path
		m.name = "mci" + strings.ToUpper(m.name[:1]) + m.name[1:]
		m.answers = nil
		for _, a := range r.answers {
			switch a.typ {
			case typeOf[process.Record](), typeOf[api.Signaled]():
				a.typ = typeOf[mciRecord]()
			case typeOf[api.List]():
				a.typ = typeOf[mciList]()
			}
			m.answers = append(m.answers, a)
		}
		switch r.name {
		case "createProcess":
			m.body, m.handle = typeOf[mciCreate](), (*request).mciCreate
		case "getTree", "getTranscript":
			continue
		}
		all = append(all, &m)
	}
	return all
}

// answerCreated is a non-blocking create's answer.
func (q *request) answerCreated(status int, id process.ID) error {
	if !q.route.mci {
		return q.answerProcess(status, id)
	}
	return q.answer(status, mciCreated{id})
}

func (q *request) openapi() error {
	q.w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, err := q.w.Write(q.s.desc.json)
	return ignoreWrite(err)
}
