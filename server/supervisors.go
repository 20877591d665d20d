package server

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// startupWait bounds how long the answer to a create waits for the children to be
// started.
const startupWait = 5 * time.Second

func (q *request) supervise() error {
	raw, err := q.readBody()
	if err != nil {
		return err
	}
	body, err := q.readTree(raw)
	if err != nil {
		return err
	}
	if err := q.available(&body); err != nil {
		return err
	}
	create, err := body.Create()
	if err != nil {
		return err
	}
	spec, err := q.s.specs.Make(&create)
	if err != nil {
		return err
	}
	h, status, err := q.spawnOnce(reeve.FromSpec(spec), raw)
	if err != nil {
		return err
	}
	q.s.log.Debug("supervisor created", "process", int64(h.ID()))
	q.awaitStartup(h)
	q.w.Header().Set("Location", "/supervisors/"+h.ID().String())
	return q.answerSupervisor(status, h.ID())
}

// readTree makes a tree of a body: of JSON, or of YAML where its type says so.
func (q *request) readTree(raw []byte) (tree api.Supervisor, err error) {
	if !isYAML(q.r.Header.Get("Content-Type")) {
		if len(raw) == 0 {
			return tree, process.Invalid("body", "is empty: want a JSON object")
		}
		err := api.Decode(raw, &tree)
		return tree, err
	}
	if len(raw) > api.MaxTree {
		return tree, process.Errorf(api.CodeTooLarge, "the body is larger than %s, which is the limit for YAML", size(api.MaxTree))
	}
	return api.ParseTree("", raw, q.s.specs)
}

// isYAML reports whether a media type is YAML, by any of its names.
func isYAML(contentType string) bool {
	media, _, _ := mime.ParseMediaType(contentType)
	return slices.Contains([]string{"application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"}, media)
}

// available refuses children that nothing here can run.
func (q *request) available(t *api.Supervisor) error {
	members, err := q.s.specs.Members(t)
	if err != nil {
		return err
	}
	known := q.s.rt.Environments()
	for i, m := range members {
		if !slices.ContainsFunc(known, func(e reeve.EnvironmentInfo) bool { return e.Name == m.Spec.Environment }) {
			return process.Errorf(process.CodeNoEnvironment, "child %q: the environment %q is not available", m.Name, m.Spec.Environment)
		}
		if nested := t.Children[i].Supervisor; nested != nil {
			if err := q.available(nested); err != nil {
				return err
			}
		}
	}
	return nil
}

// awaitStartup waits until the supervisor has told who its children are, or has
// ended, so that the answer can name them.
func (q *request) awaitStartup(h *reeve.Handle) {
	ctx, cancel := context.WithTimeout(q.r.Context(), startupWait)
	defer cancel()
	for ev := range h.Events(ctx) {
		if ev.Kind == process.KindOutputMerged || ev.Kind == process.KindFinalized {
			return
		}
	}
}

func (q *request) supervisors() error {
	f := process.Query{Environment: process.EnvSupervisor, Cursor: q.query("cursor")}
	f.Limit, _ = strconv.Atoi(q.query("limit")) // checked; 0: the default
	f, err := f.Normalize()
	if err != nil {
		return err
	}
	page, err := q.s.rt.Processes(q.r.Context(), f)
	if err != nil {
		return err
	}
	all := api.Supervisors{Supervisors: []api.SupervisorRecord{}, NextCursor: cursor(page.Next)}
	for i := range page.Processes {
		rec := &page.Processes[i]
		r, err := q.supervisorOf(rec, q.s.item(q.r.Context(), rec, nil))
		if err != nil {
			return err
		}
		all.Supervisors = append(all.Supervisors, r)
	}
	return q.answer(http.StatusOK, all)
}

func (q *request) oneSupervisor() error {
	rec, err := q.supervisor()
	if err != nil {
		return err
	}
	return q.answerSupervisor(http.StatusOK, rec.ID)
}

// supervisor is the process that the path names, if it is one.
func (q *request) supervisor() (*process.Process, error) {
	rec, err := q.process()
	if err == nil && rec.Environment != process.EnvSupervisor {
		err = process.Errorf(process.CodeNotFound, "process %d is no supervisor: see /processes/%d", rec.ID, rec.ID)
	}
	return rec, err
}

func (q *request) answerSupervisor(status int, id process.ID) error {
	rec, err := q.s.rt.Process(q.r.Context(), id)
	if err != nil {
		return err
	}
	r, err := q.supervisorOf(rec, q.s.record(q.r.Context(), rec))
	if err != nil {
		return err
	}
	return q.answer(status, r)
}

// removeSupervisor ends a supervisor with its children, or deletes an idle one
// with what is left of them.
func (q *request) removeSupervisor() error {
	rec, err := q.supervisor()
	if err != nil {
		return err
	}
	err = q.s.rt.Kill(q.r.Context(), rec.ID, reeve.KillOptions{})
	if err == nil {
		if _, err := q.await(rec.ID); err != nil {
			return err
		}
		return q.answerSupervisor(http.StatusOK, rec.ID)
	}
	if !errors.Is(err, process.ErrAlreadyIdle) {
		return err
	}
	shown, err := q.supervisorOf(rec, q.s.record(q.r.Context(), rec))
	if err != nil {
		return err
	}
	if err := q.removeTree(rec.ID); err != nil {
		return err
	}
	return q.answer(http.StatusOK, shown)
}

// removeTree deletes an idle process after those below it. One that runs is left,
// and what is above it.
func (q *request) removeTree(id process.ID) error {
	for {
		page, err := q.s.rt.Processes(q.r.Context(), process.Query{Parent: id, Limit: process.MaxLimit, NoCode: true})
		if err != nil {
			return err
		}
		for i := range page.Processes {
			if err := q.removeTree(page.Processes[i].ID); err != nil {
				return err
			}
		}
		if page.Next == "" {
			break
		}
	}
	_, err := q.s.rt.Delete(q.r.Context(), id)
	if errors.Is(err, process.ErrNotFound) {
		return nil
	}
	return err
}
