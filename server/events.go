package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

const (
	// heartbeat keeps connections alive that nothing happens on, and finds
	// those whose client is gone.
	heartbeat = 15 * time.Second

	defaultEvents = 500
	maxEvents     = 5000
)

func (q *request) events() error {
	id, err := q.id()
	if err != nil {
		return err
	}
	after, resumed, err := q.after()
	if err != nil {
		return err
	}
	if !q.wantsStream() {
		return q.eventPage(id, after)
	}
	rec, err := q.s.rt.Process(q.r.Context(), id)
	if err != nil {
		return err
	}
	if resumed && rec.State == process.Idle && after >= rec.LastSeq {
		q.w.WriteHeader(http.StatusNoContent) // an EventSource does not come back
		return nil
	}
	sub, err := q.s.rt.SubscribeProcess(q.r.Context(), id, after)
	if err != nil {
		return err
	}
	defer sub.Close()
	return q.streamEvents(sub, func(ev *process.Event) int64 { return ev.Seq })
}

func (q *request) eventPage(id process.ID, after int64) error {
	events, err := q.s.rt.Events(q.r.Context(), id, after, q.limit())
	if err != nil {
		return err
	}
	page := api.Events{Events: events, Next: after}
	if n := len(events); n > 0 {
		page.Next = events[n-1].Seq
	} else {
		page.Events = []process.Event{}
	}
	return q.answer(http.StatusOK, page)
}

func (q *request) allEvents() error {
	filter := reeve.Filter{Tag: q.query("tag"), Environment: q.query("environment"), Kind: process.Kind(q.query("kind"))}
	after, resumed, err := q.after()
	if err != nil {
		return err
	}
	var sub *reeve.Subscription
	if resumed || q.query("after") != "" {
		sub = q.s.rt.SubscribeAfter(after, filter)
	} else {
		sub = q.s.rt.Subscribe(filter)
	}
	defer sub.Close()
	if q.wantsStream() {
		return q.streamEvents(sub, func(ev *process.Event) int64 { return ev.Cursor })
	}
	page := api.AllEvents{Events: []process.Event{}}
	for len(page.Events) < q.limit() {
		ev, err := sub.Poll(q.r.Context())
		if errors.Is(err, reeve.ErrNothingYet) || errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		page.Events = append(page.Events, ev)
	}
	page.Next = process.FormatCursor(sub.Position())
	return q.answer(http.StatusOK, page)
}

func (q *request) limit() int {
	if n, err := strconv.Atoi(q.query("limit")); err == nil {
		return n
	}
	return defaultEvents
}

// after is the last event a client knows. A Last-Event-ID says that a stream is
// taken up again, and wins.
func (q *request) after() (n int64, resumed bool, err error) {
	if last := q.r.Header.Get("Last-Event-ID"); last != "" {
		n, err := strconv.ParseInt(last, 10, 64)
		if err != nil || n < 0 {
			return 0, false, process.Invalid("Last-Event-ID", "%q is not the number of an event", shorten(last))
		}
		return n, true, nil
	}
	n, _ = strconv.ParseInt(q.query("after"), 10, 64) // checked by the route
	return n, false, nil
}

func (q *request) wantsStream() bool {
	return strings.Contains(q.r.Header.Get("Accept"), "text/event-stream")
}

// streamEvents sends events until the stream has ended or the client has gone.
func (q *request) streamEvents(sub *reeve.Subscription, number func(*process.Event) int64) error {
	ctx, cancel, err := q.wait()
	if err != nil {
		return err
	}
	defer cancel()
	h := q.w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("X-Accel-Buffering", "no")
	w := &patient{q.w}
	if _, err := io.WriteString(w, "retry: 1000\n\n"); err != nil || w.Flush() != nil {
		return nil
	}
	for {
		ev, err := nextOrBeat(ctx, sub)
		switch {
		case errors.Is(err, errBeat):
			_, err = io.WriteString(w, ": heartbeat\n\n")
		case errors.Is(err, io.EOF):
			return nil
		case err == nil:
			err = writeEvent(w, &ev, number(&ev))
		}
		if err == nil && !sub.Ready() {
			err = w.Flush()
		}
		if err != nil {
			return nil // the client is gone, or the server stops
		}
	}
}

var errBeat = errors.New("nothing happened for a while")

// nextOrBeat is the next event, or errBeat if there is none for a while.
func nextOrBeat(ctx context.Context, sub *reeve.Subscription) (process.Event, error) {
	if sub.Ready() {
		return sub.Next(ctx)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, heartbeat, errBeat)
	defer cancel()
	return sub.Next(ctx)
}

// writeEvent writes one event. What is live only carries no id: a client that
// comes back asks for what is stored after the last one that had one.
func writeEvent(w io.Writer, ev *process.Event, number int64) error {
	data, err := json.Marshal(ev)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if !ev.Live() {
		b.WriteString("id: ")
		b.WriteString(strconv.FormatInt(number, 10))
		b.WriteByte('\n')
	}
	b.WriteString("data: ")
	b.Write(data)
	b.WriteString("\n\n")
	_, err = w.Write(b.Bytes())
	return err
}

// kinds lists the kinds of events a filter may name: all of the contract, also
// those that only environments still to come emit.
func kinds() []string {
	return strings.Fields(`process_created process_queued process_started output_appended output_elided
		output_merged phase_entered phase_updated phase_exited progress_updated label_updated warning_detected
		known_error_detected finding_emitted prompt_detected summary_set interpreter_error signal_delivered paused
		resumed step_started step_finished tool_called tool_returned approval_requested approval_decided
		child_spawned reparented reaped stalled recovered exited cancelled timed_out reattached finalized`)
}
