package server

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// Sizes of a page of events.
const (
	defaultEvents = 500
	maxEvents     = 1000
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
	if q.query("before") != "" {
		return process.Invalid("before", "is for pages: a stream goes forward")
	}
	over, err := q.nothingAfter(id, after, resumed)
	if err != nil {
		return err
	}
	if over {
		q.w.WriteHeader(http.StatusNoContent) // an EventSource does not come back
		return nil
	}
	sub, err := q.s.rt.SubscribeKinds(q.r.Context(), id, after, q.kinds())
	if err != nil {
		return err
	}
	return q.streamEvents(sub, func(ev *process.Event) int64 { return ev.Seq })
}

// nothingAfter reports whether a stream that is taken up again has ended.
func (q *request) nothingAfter(id process.ID, after int64, resumed bool) (bool, error) {
	rec, err := q.s.rt.Process(q.r.Context(), id)
	if err != nil || !resumed || rec.State != process.Idle {
		return false, err
	}
	page, err := q.s.rt.EventPage(q.r.Context(), id, process.EventQuery{After: after, Limit: 1, KindFilter: q.kinds()})
	return err == nil && len(page.Events) == 0, err
}

func (q *request) eventPage(id process.ID, after int64) error {
	before, _ := strconv.ParseInt(q.query("before"), 10, 64) // checked by the route
	page, err := q.s.rt.EventPage(q.r.Context(), id, process.EventQuery{After: after, Before: before, Limit: q.limit(), KindFilter: q.kinds()})
	if err != nil {
		return err
	}
	if page.Events == nil {
		page.Events = []process.Event{}
	}
	return q.answer(http.StatusOK, api.Events{Events: page.Events, Next: page.Next, Last: page.Last})
}

// kinds is what a client wants of all kinds.
func (q *request) kinds() (f process.KindFilter) {
	for _, k := range listed(q.query("kind")) {
		f.Only = append(f.Only, process.Kind(k))
	}
	for _, k := range listed(q.query("except")) {
		f.Except = append(f.Except, process.Kind(k))
	}
	return f
}

func (q *request) allEvents() error {
	filter := reeve.Filter{Tag: q.query("tag"), Environment: q.query("environment"), Kinds: q.kinds()}
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
	if q.wantsStream() {
		return q.streamEvents(sub, func(ev *process.Event) int64 { return ev.Cursor })
	}
	defer sub.Close()
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

// kinds lists the kinds of events a filter may name: all of the contract, also
// those that only environments still to come emit.
func kinds() []string {
	return strings.Fields(`process_created process_queued process_started output_appended output_elided
		output_merged phase_entered phase_updated phase_exited progress_updated label_updated warning_detected
		known_error_detected finding_emitted prompt_detected summary_set interpreter_error signal_delivered paused
		resumed step_started step_finished tool_called tool_returned approval_requested approval_decided
		child_spawned reparented reaped stalled recovered exited cancelled timed_out reattached finalized`)
}
