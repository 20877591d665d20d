//go:build linux

package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// stream is an event stream being read.
type stream struct {
	t      testing.TB
	resp   *http.Response
	r      *bufio.Reader
	cancel context.CancelFunc

	comments int    // seen so far: heartbeats
	id       string // the last event id
}

// follow opens an event stream.
func (d *daemon) follow(t testing.TB, path string, header m) *stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	resp, err := d.open(ctx, request{method: "GET", path: path, header: with(m{"Accept": "text/event-stream"}, header)})
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	s := &stream{t: t, resp: resp, r: bufio.NewReader(resp.Body), cancel: cancel}
	t.Cleanup(s.close)
	if ct := resp.Header.Get("Content-Type"); resp.StatusCode == 200 && !strings.HasPrefix(ct, "text/event-stream") {
		t.Fatalf("GET %s: Content-Type %q", path, ct)
	}
	return s
}

func (s *stream) close() {
	s.cancel()
	s.resp.Body.Close()
}

// next returns the next event, or io.EOF when the stream has ended.
func (s *stream) next() (m, error) {
	var data []string
	for {
		line, err := s.r.ReadString('\n')
		if err != nil {
			return nil, err
		}
		line = strings.TrimRight(line, "\r\n")
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "" && data != nil:
			var ev m
			err := json.Unmarshal([]byte(strings.Join(data, "\n")), &ev)
			return ev, err
		case line == "":
		case name == "":
			s.comments++
		case name == "id":
			s.id = value
		case name == "data":
			data = append(data, value)
		}
	}
}

// until reads up to the first event that the condition holds for.
func (s *stream) until(what string, cond func(m) bool) (seen []m) {
	s.t.Helper()
	for {
		ev, err := s.next()
		if err != nil {
			s.t.Fatalf("waiting for %s: %v, after %d events", what, err, len(seen))
		}
		seen = append(seen, ev)
		if cond(ev) {
			return seen
		}
	}
}

// all reads to the end of the stream.
func (s *stream) all() (seen []m) {
	s.t.Helper()
	for {
		ev, err := s.next()
		if errors.Is(err, io.EOF) {
			return seen
		}
		if err != nil {
			s.t.Fatalf("after %d events: %v", len(seen), err)
		}
		seen = append(seen, ev)
	}
}

func kind(name string) func(m) bool { return func(ev m) bool { return ev.str("kind") == name } }

// stored leaves out what is live only: partial lines and notices.
func stored(events []m) (kept []m) {
	for _, ev := range events {
		if ev["partial"] != true && ev.str("kind") != "lagged" {
			kept = append(kept, ev)
		}
	}
	return kept
}

// wantSeqs checks that events are numbered from a number on without a gap.
func wantSeqs(t testing.TB, events []m, from int64) {
	t.Helper()
	for i, ev := range stored(events) {
		if ev.num("seq") != from+int64(i) {
			t.Fatalf("event %d is %v, want seq %d", i, ev, from+int64(i))
		}
	}
}

func kinds(events []m) (names []string) {
	for _, ev := range events {
		names = append(names, ev.str("kind"))
	}
	return names
}

// text joins the lines of a stream among events.
func text(events []m, stream string) (lines []string) {
	for _, ev := range stored(events) {
		if ev.str("kind") == "output_appended" && ev.str("stream") == stream {
			lines = append(lines, ev.str("line"))
		}
	}
	return lines
}

// events returns the stored events of a process, page by page.
func (d *daemon) events(t testing.TB, id int64) (all []m) {
	t.Helper()
	for after := int64(0); ; {
		page := d.get(t, path(id, "/events?after=")+itoa(after)).want(t, 200).json(t)
		events := page.list("events")
		if len(events) == 0 {
			return all
		}
		all = append(all, events...)
		if next := page.num("next"); next != events[len(events)-1].num("seq") {
			t.Fatalf("next is %d after seq %d", next, events[len(events)-1].num("seq"))
		}
		after = page.num("next")
	}
}
