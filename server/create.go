package server

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// maxKey bounds an idempotency key.
const maxKey = 255

func (q *request) create() error {
	var body api.Create
	raw, err := q.decode(&body)
	if err != nil {
		return err
	}
	return q.spawn(&body, raw)
}

// spawn creates what a body asks for and answers.
func (q *request) spawn(body *api.Create, raw []byte) error {
	spec, err := q.s.specs.Make(body)
	if err != nil {
		return err
	}
	task := reeve.FromSpec(spec)
	autorun := body.Autorun == nil || *body.Autorun
	if !autorun {
		task.Parked()
	}
	h, status, err := q.spawnOnce(task, raw)
	if err != nil {
		return err
	}
	id := h.ID()
	q.s.log.Debug("process created", "process", int64(id), "environment", spec.Environment)
	q.w.Header().Set("Location", q.location(id))
	if body.Block && autorun {
		return q.answerWhenIdle(status, id)
	}
	return q.answerCreated(status, id)
}

// spawnOnce creates a process, or finds the one that a request with the same
// Idempotency-Key created.
func (q *request) spawnOnce(task *reeve.Task, raw []byte) (*reeve.Handle, int, error) {
	key, given := q.r.Header["Idempotency-Key"]
	if !given {
		h, err := q.s.rt.Spawn(q.r.Context(), task)
		return h, http.StatusCreated, err
	}
	name := strings.TrimSpace(key[0])
	if name == "" || len(name) > maxKey {
		return nil, 0, process.Invalid("Idempotency-Key", "has %d characters: want 1 to %d", len(name), maxKey)
	}
	h, created, err := q.s.rt.SpawnOnce(q.r.Context(), task.Key(name, q.s.rt.Digest(raw)))
	if err == nil && !created {
		return h, http.StatusOK, nil
	}
	return h, http.StatusCreated, err
}

// location is the address of a process.
func (q *request) location(id process.ID) string {
	if q.route.mci {
		return "/mci/processes/" + id.String()
	}
	return "/processes/" + id.String()
}

// maxMillis keeps a number of milliseconds within a time.Duration.
const maxMillis = int64(1<<63-1) / int64(time.Millisecond)

// answerWhenIdle waits for the end of a process and answers its record.
func (q *request) answerWhenIdle(status int, id process.ID) error {
	rec, err := q.await(id)
	if err != nil {
		return err
	}
	return q.answerRecord(status, rec)
}

// await waits for the end of a process, as long as the request says.
func (q *request) await(id process.ID) (*process.Process, error) {
	ctx, cancel, err := q.wait(q.s.stopping)
	if err != nil {
		return nil, err
	}
	defer cancel()
	bound, bounded := q.millis("wait")
	if bounded {
		var stop func()
		ctx, stop = withWait(ctx, bound)
		defer stop()
	}
	rec, err := q.s.rt.Await(ctx, id)
	if err != nil && ctx.Err() != nil && bounded && isWait(ctx) {
		q.w.Header().Set("Location", q.location(id))
		return nil, process.Errorf(api.CodeWaitExceeded, "process %d has not finished within %v; it goes on", id, bound)
	}
	if err != nil {
		return nil, fmt.Errorf("wait for process %d: %w", id, err)
	}
	return rec, nil
}
