package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// CreateOptions are about the request, not about the process.
type CreateOptions struct {
	// IdempotencyKey makes the request safe to repeat; with one, it is repeated
	// when the connection breaks.
	IdempotencyKey string
	// Wait bounds how long a blocking create waits; 0: no bound.
	Wait time.Duration
}

// Create makes a process and, unless Autorun is false, runs it. With Block it
// answers when the process has finished.
func (c *Client) Create(ctx context.Context, body api.Create, o CreateOptions) (process.Record, error) {
	r := request{method: http.MethodPost, path: "/processes", body: body}
	if o.Wait > 0 {
		r.query = url.Values{"wait": {strconv.FormatInt(max(1, o.Wait.Milliseconds()), 10)}}
	}
	return create[process.Record](ctx, c, r, o.IdempotencyKey)
}

// create repeats a request that has a key when the connection breaks, or the
// daemon stops, perhaps to be replaced: the next one knows the key.
func create[T any](ctx context.Context, c *Client, r request, key string) (T, error) {
	if key == "" {
		return call[T](ctx, c, r)
	}
	r.header = map[string]string{"Idempotency-Key": key}
	again := c.retry()
	for {
		rec, err := call[T](ctx, c, r)
		if err == nil || isAnswer(err) && !errors.Is(err, process.ErrClosed) || !again.wait(ctx, err) {
			return rec, err
		}
	}
}

// Process returns the record of one process.
func (c *Client) Process(ctx context.Context, id process.ID) (process.Record, error) {
	return call[process.Record](ctx, c, request{method: http.MethodGet, path: processPath(id)})
}

// Processes returns a page of processes, newest first. Include names fields that
// a list leaves out otherwise: code, output, stdout, stderr.
func (c *Client) Processes(ctx context.Context, q process.Query, include ...string) (api.List, error) {
	return call[api.List](ctx, c, request{method: http.MethodGet, path: "/processes", query: listQuery(q, include)})
}

// All goes through the selected processes, page by page, newest first. Limit is
// the size of a page. An error is the last thing it yields.
func (c *Client) All(ctx context.Context, q process.Query, include ...string) iter.Seq2[process.Record, error] {
	return func(yield func(process.Record, error) bool) {
		for {
			page, err := c.Processes(ctx, q, include...)
			if err != nil {
				yield(process.Record{}, err)
				return
			}
			for _, rec := range page.Processes {
				if !yield(rec, nil) {
					return
				}
			}
			if page.NextCursor == nil {
				return
			}
			q.Cursor = *page.NextCursor
		}
	}
}

func listQuery(q process.Query, include []string) url.Values {
	v := url.Values{}
	set := func(name, value string) {
		if value != "" {
			v.Set(name, value)
		}
	}
	set("ids", joined(q.IDs, process.ID.String))
	set("state", joined(statesOf(q), func(s process.State) string { return string(s) }))
	set("status", joined(statusesOf(q), statusName))
	set("text", q.Text)
	set("tag", q.Tag)
	set("ref", q.Ref)
	set("environment", q.Environment)
	set("cursor", q.Cursor)
	set("include", strings.Join(include, ","))
	if q.Paused {
		set("paused", "1")
	}
	if q.Parent != 0 {
		set("parent", q.Parent.String())
	}
	if !q.Since.IsZero() {
		set("since", q.Since.UTC().Format(time.RFC3339Nano))
	}
	if !q.Until.IsZero() {
		set("until", q.Until.UTC().Format(time.RFC3339Nano))
	}
	if q.Limit != 0 {
		set("limit", strconv.Itoa(q.Limit))
	}
	return v
}

func joined[T any](values []T, text func(T) string) string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = text(v)
	}
	return strings.Join(all, ",")
}

// statesOf are the states that a query selects; none where it selects any.
func statesOf(q process.Query) (all []process.State) {
	if q.State == "" && len(q.States) == 0 {
		return nil
	}
	for _, s := range process.States() {
		if q.HasState(s) {
			all = append(all, s)
		}
	}
	return all
}

// statusesOf are the outcomes that a query selects; none where it selects any.
func statusesOf(q process.Query) (all []process.ExitState) {
	if q.Status == nil && len(q.Statuses) == 0 {
		return nil
	}
	for _, s := range append(process.ExitStates(), process.ExitNone) {
		if q.HasStatus(s) {
			all = append(all, s)
		}
	}
	return all
}

func statusName(s process.ExitState) string {
	if s == process.ExitNone {
		return "null"
	}
	return string(s)
}

// Tree returns a process with those below it.
func (c *Client) Tree(ctx context.Context, id process.ID) (api.Tree, error) {
	return call[api.Tree](ctx, c, request{method: http.MethodGet, path: processPath(id) + "/tree"})
}

// Runs returns the runs of a process, newest first.
func (c *Client) Runs(ctx context.Context, id process.ID) ([]process.RunRecord, error) {
	runs, err := call[api.Runs](ctx, c, request{method: http.MethodGet, path: processPath(id) + "/runs"})
	return runs.Runs, err
}

// Overview tells how all processes are, in numbers.
func (c *Client) Overview(ctx context.Context) (api.Overview, error) {
	return call[api.Overview](ctx, c, request{method: http.MethodGet, path: "/overview"})
}

// Usage returns what a run used as time went by; run 0 is the newest one.
func (c *Client) Usage(ctx context.Context, id process.ID, run int) (process.UsageSeries, error) {
	r := request{method: http.MethodGet, path: processPath(id) + "/usage"}
	if run != 0 {
		r.query = url.Values{"run": {strconv.Itoa(run)}}
	}
	return call[process.UsageSeries](ctx, c, r)
}

// RunRecord returns one run of a process.
func (c *Client) RunRecord(ctx context.Context, id process.ID, run int) (process.RunRecord, error) {
	return call[process.RunRecord](ctx, c, request{method: http.MethodGet, path: runPath(id, run)})
}

// Delete removes an idle process with its runs, events and logs.
func (c *Client) Delete(ctx context.Context, id process.ID) (process.Record, error) {
	return call[process.Record](ctx, c, request{method: http.MethodDelete, path: processPath(id)})
}

func processPath(id process.ID) string { return fmt.Sprintf("/processes/%d", id) }

// runPath is the path of a run; of the newest one for 0.
func runPath(id process.ID, run int) string {
	if run == 0 {
		return processPath(id)
	}
	return fmt.Sprintf("/processes/%d/runs/%d", id, run)
}
