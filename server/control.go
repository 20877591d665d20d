package server

import (
	"fmt"
	"net/http"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

func (q *request) runAgain() error {
	id, err := q.id()
	if err != nil {
		return err
	}
	var body api.Run
	if _, err := q.decode(&body); err != nil {
		return err
	}
	if _, err := q.s.rt.Run(q.r.Context(), id, reeve.RunOptions{Force: body.Force, Resume: body.Resume}); err != nil {
		return err
	}
	if body.Block {
		return q.answerWhenIdle(http.StatusOK, id)
	}
	return q.answerProcess(http.StatusOK, id)
}

func (q *request) kill() error {
	id, err := q.id()
	if err != nil {
		return err
	}
	var body api.Kill
	if _, err := q.decode(&body); err != nil {
		return err
	}
	o := reeve.KillOptions{Now: body.Now, Grace: body.Grace.Duration(), Alone: body.Tree != nil && !*body.Tree}
	if err := q.s.rt.Kill(q.r.Context(), id, o); err != nil {
		return err
	}
	if body.Block {
		return q.answerWhenIdle(http.StatusOK, id)
	}
	return q.answerProcess(http.StatusOK, id)
}

func (q *request) signal(name string) error {
	id, err := q.id()
	if err != nil {
		return err
	}
	var body api.Signal
	if _, err := q.decode(&body); err != nil {
		return err
	}
	s, err := process.ParseSignal(name)
	if err != nil {
		return err
	}
	n, err := q.s.rt.Signal(q.r.Context(), id, s, reeve.SignalOptions{Tree: body.Tree, Now: body.Now})
	if err != nil {
		return err
	}
	rec, err := q.s.rt.Process(q.r.Context(), id)
	if err != nil {
		return err
	}
	if q.route.mci {
		return q.answerRecord(http.StatusOK, rec)
	}
	return q.answer(http.StatusOK, api.Signaled{Affected: n, Process: q.s.record(q.r.Context(), rec)})
}

func (q *request) remove() error {
	rec, err := q.process()
	if err != nil {
		return err
	}
	// The ends of the streams are part of the answer and go with the process.
	shown := q.s.record(q.r.Context(), rec)
	rec, err = q.s.rt.Delete(q.r.Context(), rec.ID)
	if err != nil {
		return err
	}
	q.s.log.Debug("process deleted", "process", int64(rec.ID))
	if q.route.mci {
		return q.answerRecord(http.StatusOK, rec)
	}
	return q.answer(http.StatusOK, shown)
}

func (q *request) prune() error {
	var body api.Prune
	if _, err := q.decode(&body); err != nil {
		return err
	}
	n, err := q.s.rt.PruneAs(q.r.Context(), reeve.Retention{Events: body.Events.Duration(), Logs: body.Logs.Duration()})
	if err != nil {
		return fmt.Errorf("prune: %w", err)
	}
	return q.answer(http.StatusOK, api.Pruned{Events: n.Events, Logs: n.Logs})
}
