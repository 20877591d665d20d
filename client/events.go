package client

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// EventFilter selects events. Zero fields do not filter. Tag and Environment
// choose among all processes.
type EventFilter struct {
	Tag         string
	Environment string
	Kind        process.Kind // one more of Only
	process.KindFilter
}

func (f EventFilter) query() url.Values {
	name := func(k process.Kind) string { return string(k) }
	if f.Kind != "" {
		f.Only = append(slices.Clip(f.Only), f.Kind)
	}
	v := url.Values{}
	for name, value := range map[string]string{"tag": f.Tag, "environment": f.Environment,
		"kind": joined(f.Only, name), "except": joined(f.Except, name)} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return v
}

// EventsPage returns a page of a process's stored events after one.
func (c *Client) EventsPage(ctx context.Context, id process.ID, after int64) (api.Events, error) {
	return c.EventPage(ctx, id, process.EventQuery{After: after})
}

// EventPage returns a page of a process's stored events that a query selects.
func (c *Client) EventPage(ctx context.Context, id process.ID, q process.EventQuery) (api.Events, error) {
	query := EventFilter{KindFilter: q.KindFilter}.query()
	for name, n := range map[string]int64{"after": q.After, "before": q.Before, "limit": int64(q.Limit)} {
		if n != 0 {
			query.Set(name, strconv.FormatInt(n, 10))
		}
	}
	return call[api.Events](ctx, c, request{method: http.MethodGet, path: processPath(id) + "/events", query: query})
}

// AllEventsPage returns a page of the stored events of all processes after a
// cursor; an empty cursor is now.
func (c *Client) AllEventsPage(ctx context.Context, f EventFilter, after string) (api.AllEvents, error) {
	query := f.query()
	if after != "" {
		query.Set("after", after)
	}
	return call[api.AllEvents](ctx, c, request{method: http.MethodGet, path: "/events", query: query})
}

// Events goes through the events of a process after one (0: from the beginning),
// stored and then live, in order, without gap or repeat, until the process has
// finished. An error is the last thing it yields, also when ctx is over.
func (c *Client) Events(ctx context.Context, id process.ID, after int64) iter.Seq2[process.Event, error] {
	return c.EventsOf(ctx, id, process.KindFilter{}, after)
}

// EventsOf is Events for some kinds of them. It ends with the process all the
// same.
func (c *Client) EventsOf(ctx context.Context, id process.ID, f process.KindFilter, after int64) iter.Seq2[process.Event, error] {
	return func(yield func(process.Event, error) bool) {
		s := subscription{c: c, path: processPath(id) + "/events", query: EventFilter{KindFilter: f}.query(), position: after,
			over: func(ctx context.Context, last process.Kind) (bool, error) {
				if last == process.KindFinalized {
					return true, nil
				}
				rec, err := c.Process(ctx, id)
				return err == nil && rec.State == process.Idle, err
			}}
		s.run(ctx, yield)
	}
}

// AllEvents is Events for all processes. It starts after a cursor, or now if that
// is empty, and ends with an error only.
func (c *Client) AllEvents(ctx context.Context, f EventFilter, after string) iter.Seq2[process.Event, error] {
	return func(yield func(process.Event, error) bool) {
		if after == "" { // a position to go on from, should the first connection break at once
			now, err := c.AllEventsPage(ctx, f, "")
			if err != nil {
				yield(process.Event{}, err)
				return
			}
			after = now.Next
		}
		position, err := process.ParseCursor(after)
		if err != nil {
			yield(process.Event{}, err)
			return
		}
		s := subscription{c: c, path: "/events", query: f.query(), position: position,
			over: func(context.Context, process.Kind) (bool, error) { return false, nil }}
		s.run(ctx, yield)
	}
}

// subscription is an event stream that outlives its connections.
type subscription struct {
	c        *Client
	path     string
	query    url.Values
	position int64        // of the last event that was passed on
	last     process.Kind // its kind
	// over is asked when the daemon has ended the stream.
	over func(ctx context.Context, last process.Kind) (bool, error)
}

func (s *subscription) run(ctx context.Context, yield func(process.Event, error) bool) {
	again := s.c.retry()
	for {
		stopped, err := s.connection(ctx, again, yield)
		if stopped {
			return
		}
		if err == nil {
			over, overErr := s.over(ctx, s.last)
			if over {
				return
			}
			if err = overErr; err == nil {
				err = errEnded
			}
		}
		if err == errLagged {
			continue
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if !again.wait(ctx, err) {
			yield(process.Event{}, err)
			return
		}
	}
}

// connection passes the events of one connection on. A nil error means that the
// daemon ended it.
func (s *subscription) connection(ctx context.Context, again *retry, yield func(process.Event, error) bool) (stopped bool, err error) {
	resp, err := s.c.subscribe(ctx, s.path, s.query, s.position)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	messages, moved := newMessages(resp.Body), false
	for {
		msg, err := messages.next()
		if err != nil {
			return false, endOfStream(err)
		}
		if msg.alive || msg.data != nil {
			again.succeeded()
		}
		ev, ok, err := decodeEvent(msg)
		if err != nil {
			return false, err
		}
		if msg.id != "" && !s.advance(msg.id) || !ok {
			continue // known already, or a sign of how far the stream is
		}
		if ev.Kind == process.KindLagged && moved {
			return false, errLagged // what was missed is stored: fetch it
		}
		if msg.id != "" {
			s.last, moved = ev.Kind, true
		}
		if !yield(ev, nil) {
			return true, nil
		}
	}
}

// advance moves to the position of an event and reports whether it is a new one.
func (s *subscription) advance(id string) bool {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil || n <= s.position {
		return false
	}
	s.position = n
	return true
}

// subscribe opens an event stream. A negative position means now.
func (c *Client) subscribe(ctx context.Context, path string, query url.Values, position int64) (*http.Response, error) {
	q := url.Values{}
	for name, values := range query {
		q[name] = values
	}
	if position >= 0 {
		q.Set("after", strconv.FormatInt(position, 10))
	}
	return c.do(ctx, request{method: http.MethodGet, path: path, query: q, header: map[string]string{"Accept": "text/event-stream"}})
}

// decodeEvent reads the event of a message. It is not ok for a sign of life, and
// for kinds that a newer daemon knows.
func decodeEvent(msg message) (process.Event, bool, error) {
	if msg.data == nil {
		return process.Event{}, false, nil
	}
	var ev process.Event
	err := json.Unmarshal(msg.data, &ev)
	if err != nil && !json.Valid(msg.data) {
		return ev, false, fmt.Errorf("read event %s: %w", msg.id, err)
	}
	return ev, err == nil, nil
}
