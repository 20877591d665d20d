package server

import (
	"encoding/json"
	"errors"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// supervisorOf is a supervisor on the wire; shown is its record there.
func (q *request) supervisorOf(rec *process.Process, shown process.Record) (api.SupervisorRecord, error) {
	r := api.SupervisorRecord{ID: rec.ID, Process: shown, Strategy: api.DefaultStrategy,
		MaxRestarts: api.DefaultMaxRestarts, Children: []api.ChildRecord{}}
	var t api.Supervisor
	if err := json.Unmarshal([]byte(rec.Code), &t); err != nil {
		return r, err
	}
	r.Name, r.WindowMS = t.Name, t.Window.Or(api.DefaultWindowMS)
	if t.Strategy != "" {
		r.Strategy = t.Strategy
	}
	if t.MaxRestarts != nil {
		r.MaxRestarts = *t.MaxRestarts
	}
	for i := range t.Children {
		c, err := q.childOf(rec, &t.Children[i])
		if err != nil {
			return r, err
		}
		r.Children = append(r.Children, c)
	}
	return r, nil
}

// childOf is a child on the wire: what the supervisor told of it, and how it is.
func (q *request) childOf(rec *process.Process, child *api.Child) (api.ChildRecord, error) {
	c := api.ChildRecord{Name: child.Name, Restart: child.Restart}
	if c.Restart == "" {
		c.Restart = api.Permanent
	}
	told, _ := rec.Output[child.Name].(map[string]any)
	number, ok := told["process"].(float64)
	if !ok {
		return c, nil
	}
	restarts, _ := told["restarts"].(float64)
	id := process.ID(number)
	c.Process, c.Restarts = &id, int(restarts)
	p, err := q.s.rt.Process(q.r.Context(), id)
	if errors.Is(err, process.ErrNotFound) { // deleted
		return c, nil
	}
	if err != nil {
		return c, err
	}
	c.State, c.Run = &p.State, p.Number
	if p.ExitState != process.ExitNone {
		c.ExitState = &p.ExitState
	}
	return c, nil
}
