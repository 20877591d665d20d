//go:build linux

package e2e

import (
	"bufio"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// The feed of all processes starts now, filters, and resumes by cursor.
func TestFeed(t *testing.T) {
	t.Parallel()
	d := start(t)
	d.fake(t, "out before", block)
	now := d.get(t, "/events").want(t, 200).json(t) // starts now, with a cursor to go on from
	if now["events"] == nil || len(now.list("events")) != 0 || now.str("next") == "" {
		t.Errorf("the first page is %v", now)
	}
	feeds := map[string]*stream{}
	for _, query := range []string{"", "tag=x", "environment=command", "kind=finalized", "tag=x&kind=finalized", "kind=output_appended&environment=fake"} {
		feeds[query] = d.follow(t, "/events?"+query, nil)
	}
	first := d.fake(t, "out one", block, m{"tags": []string{"x"}}).id()
	second := d.sh(t, "echo two", block).id()
	third := d.fake(t, "out three", block).id()
	last := d.sh(t, "echo end", block, m{"tags": []string{"x", "end"}}).id()
	final := func(id int64) func(m) bool {
		return func(ev m) bool { return ev.str("kind") == "finalized" && ev.num("process") == id }
	}
	for query, want := range map[string][]int64{"": {first, second, third, last}, "tag=x": {first, last}, "environment=command": {second, last},
		"kind=finalized": {first, second, third, last}, "tag=x&kind=finalized": {first, last}} {
		seen := feeds[query].until(query, final(last))
		got := map[int64]bool{}
		for _, ev := range seen {
			got[ev.num("process")] = true
			if strings.Contains(query, "kind=") && ev.str("kind") != "finalized" {
				t.Errorf("%s gives %v", query, ev)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s tells of %v, want %v", query, got, want)
		}
		for _, id := range want {
			if !got[id] {
				t.Errorf("%s tells of %v, want %v", query, got, want)
			}
		}
		if query == "" {
			d.wantResume(t, seen)
		}
	}
	page := d.get(t, "/events?after="+url.QueryEscape(now.str("next"))).want(t, 200).json(t).list("events")
	if len(page) == 0 || page[0].num("process") != first || page[0].str("kind") != "process_created" {
		t.Errorf("from then on: %v", page)
	}
	out := feeds["kind=output_appended&environment=fake"]
	seen := out.until("three", func(ev m) bool { return ev.str("line") == "three" })
	if len(stored(seen)) != 2 {
		t.Errorf("the lines of fake: %v", seen)
	}
	for query, field := range map[string]string{"kind=nothing": "kind", "tag=": "tag", "environment=": "environment", "after=bogus": "after", "after=": "after", "colour=red": "colour"} {
		d.get(t, "/events?"+query).want(t, 400, "invalid_request").naming(t, field)
	}
}

// wantResume checks that from any cursor on the feed gives the rest, by after=
// and by Last-Event-ID, as a stream and as pages.
func (d *daemon) wantResume(t *testing.T, seen []m) {
	t.Helper()
	seen = stored(seen)
	for _, i := range []int{0, len(seen) / 2, len(seen) - 2} {
		cursor := seen[i].str("cursor")
		if cursor == "" {
			t.Fatalf("no cursor in %v", seen[i])
		}
		rest := mustJSON(t, stripped(seen[i+1:]))
		for _, s := range []*stream{
			d.follow(t, "/events?after="+url.QueryEscape(cursor), nil),
			d.follow(t, "/events", m{"Last-Event-ID": cursor}),
		} {
			var got []m
			for len(got) < len(seen)-i-1 {
				ev, err := s.next()
				if err != nil {
					t.Fatalf("after %s: %v after %d events", cursor, err, len(got))
				}
				got = append(got, stored([]m{ev})...)
			}
			wantJSON(t, stripped(got), rest)
			s.close()
		}
		page := d.get(t, "/events?after="+url.QueryEscape(cursor)).want(t, 200).json(t)
		wantJSON(t, stripped(page.list("events")), rest)
		if page.str("next") != seen[len(seen)-1].str("cursor") {
			t.Errorf("next is %v, the last cursor %v", page["next"], seen[len(seen)-1]["cursor"])
		}
	}
}

// A connection that has nothing to say shows that it lives.
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	d := shared(t)
	s := d.follow(t, path(d.inState(t, "running"), "/events"), nil)
	defer time.AfterFunc(20*time.Second, s.cancel).Stop()
	for {
		line, err := s.r.ReadString('\n')
		if err != nil {
			t.Fatalf("no comment came within 20 s: %v", err)
		}
		if strings.HasPrefix(line, ":") {
			return
		}
	}
}

// A reader that does not read is told that it lags; it holds up nobody.
func TestSlowReaderLags(t *testing.T) {
	t.Parallel()
	d := start(t)
	conn, err := net.Dial("tcp", d.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.(*net.TCPConn).SetReadBuffer(256 << 10)
	fmt.Fprintf(conn, "GET /events HTTP/1.1\r\nHost: %s\r\nAccept: text/event-stream\r\n\r\n", d.addr)
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	r := bufio.NewReader(conn)
	if status, err := r.ReadString('\n'); err != nil || !strings.Contains(status, " 200 ") {
		t.Fatalf("%q %v", status, err)
	}
	rec := d.sh(t, "seq 1 50000", block, m{"interpreter": "none"}).wantEnd(t, "success") // nobody reads meanwhile
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	for last := ""; ; {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("no lagged notice: %v after %.300s", err, last)
		}
		if strings.HasPrefix(line, "data:") {
			last = line
		}
		if strings.Contains(line, `"kind":"lagged"`) && strings.Contains(line, `"missed":`) {
			break
		}
	}
	page := d.get(t, path(rec.id(), "/events?after=20000")).want(t, 200).json(t).list("events")
	if len(page) == 0 || page[0].num("seq") != 20001 || page[0].str("kind") != "output_appended" {
		t.Errorf("what was missed cannot be fetched: %v", page)
	}
}

// Streams cost nothing when their readers go.
func TestReadersComeAndGo(t *testing.T) {
	t.Parallel()
	d := shared(t)
	id := d.inState(t, "running")
	var wg sync.WaitGroup
	for i := range 40 {
		s := d.follow(t, []string{"/events", path(id, "/events")}[i%2], nil)
		wg.Go(s.close)
	}
	wg.Wait()
	d.kill(t, id, block).wantEnd(t, "canceled")
}
