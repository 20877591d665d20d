package server

import (
	"io"
	"net/http"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

func (q *request) health() error { return q.answer(http.StatusOK, api.Health{Status: "ok"}) }

// ready fails once the runtime takes no more work, and while it cannot record any.
func (q *request) ready() error {
	if q.s.rt.Closing() {
		return process.ErrClosed
	}
	if err := q.s.rt.Trouble(); err != nil {
		return err
	}
	return q.answer(http.StatusOK, api.Health{Status: "ok"})
}

func (q *request) version() error {
	v := q.s.cfg.Version
	v.DataDir = q.s.cfg.DataDir
	if v.Engines == nil {
		v.Engines = []string{}
	}
	return q.answer(http.StatusOK, v)
}

func (q *request) metrics() error {
	if q.s.cfg.Metrics == nil {
		return process.Errorf(process.CodeNotFound, "this server has no metrics")
	}
	q.s.cfg.Metrics.ServeHTTP(q.w, q.r)
	return nil
}

func (q *request) environments() error {
	all := api.Environments{Environments: []api.Environment{}}
	for _, e := range q.s.rt.Environments() {
		if e.Name == process.EnvFunction {
			continue // Go functions, for embedded use
		}
		env := api.Environment{Name: e.Name, Default: e.Name == q.s.cfg.Environment}
		if e.Slots > 0 {
			env.Slots = &e.Slots
		}
		if ms := e.Timeout.Milliseconds(); ms > 0 {
			env.DefaultTimeoutMS = &ms
		}
		all.Environments = append(all.Environments, env)
	}
	return q.answer(http.StatusOK, all)
}

func (q *request) environmentDocs() error {
	name := q.r.PathValue("name")
	for _, e := range q.s.rt.Environments() {
		if e.Name == name {
			q.w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
			_, err := io.WriteString(q.w, e.Docs)
			return ignoreWrite(err)
		}
	}
	return process.Errorf(process.CodeNotFound, "there is no environment %q: see /environments", shorten(name))
}
