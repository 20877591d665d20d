//go:build linux

package e2e

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

// Pages by kind, and the newest events below one.
func TestEventPagesByKind(t *testing.T) {
	t.Parallel()
	d := shared(t)
	id := d.sh(t, "seq 1 3000; echo oh >&2", block, m{"interpreter": "none"}).wantEnd(t, "success").id()
	all := d.events(t, id)
	last := all[len(all)-1].num("seq")
	get := func(query string) m { return d.get(t, path(id, "/events?"+query)).want(t, 200).json(t) }
	if page := get("except=output_appended"); page.num("last") != last || page.num("next") != last || slices.Contains(kinds(page.list("events")), "output_appended") ||
		!strings.HasSuffix(strings.Join(kinds(page.list("events")), " "), "reaped finalized") {
		t.Errorf("%v", page)
	}
	if page := get("kind=exited,finalized"); !slices.Equal(kinds(page.list("events")), []string{"exited", "finalized"}) {
		t.Errorf("%v", page)
	}
	if page := get("kind=output_appended,finalized&except=finalized&after=" + itoa(last)); len(page.list("events")) > 0 || page.num("next") != last {
		t.Errorf("%v", page)
	}
	// Backward, page by page, to the beginning.
	var back []m
	for before := last + 1; ; {
		page := get("kind=output_appended&limit=700&before=" + itoa(before))
		events := page.list("events")
		if page.num("last") != last || page.num("next") != before-1 || len(events) > 700 {
			t.Errorf("before %d: next %v, last %v, %d events", before, page["next"], page["last"], len(events))
		}
		if len(events) == 0 {
			break
		}
		back = append(slices.Clone(events), back...)
		before = events[0].num("seq")
	}
	if got := text(back, "stdout"); len(got) != 3000 || got[0] != "1" || got[2999] != "3000" {
		t.Errorf("%d lines backward", len(got))
	}
	if page := get("before=99999999999&limit=2"); !slices.Equal(kinds(page.list("events")), []string{"reaped", "finalized"}) || page.num("next") != last {
		t.Errorf("the newest: %v", page)
	}
	if page := get("before=4&after=1"); len(page.list("events")) != 2 {
		t.Errorf("between: %v", page)
	}
	for query, field := range map[string]string{"kind=": "kind", "kind=nope": "kind", "kind=exited,": "kind", "except=lagged": "except", "except=,": "except", "before=0": "before", "before=x": "before", "before=-1": "before", "before=99999999999999999999": "before"} {
		d.get(t, path(id, "/events?"+query)).want(t, 400, "invalid_request").naming(t, field)
		if field != "before" {
			d.get(t, "/events?"+query).want(t, 400, "invalid_request").naming(t, field)
		}
	}
	d.get(t, "/events?before=3").want(t, 400, "invalid_request").naming(t, "before")
	d.do(t, request{method: "GET", path: path(id, "/events?before=3"), header: m{"Accept": "text/event-stream"}}).want(t, 400, "invalid_request").naming(t, "before")
}

// A stream by kind ends with its run, says where it is, and does not come back
// for what it left out.
func TestEventStreamByKind(t *testing.T) {
	t.Parallel()
	d := shared(t)
	dir := t.TempDir()
	id := d.sh(t, "mkfifo "+dir+"/go; read x <"+dir+"/go; seq 1 20000", m{"interpreter": "none"}).id()
	d.await(t, id, "running")
	dry := d.follow(t, path(id, "/events?except=output_appended"), nil)
	started := d.follow(t, path(id, "/events?kind=process_started"), nil)
	all := d.follow(t, "/events?kind=finalized,exited&after=0", nil)
	dry.until("the start", kind("process_started"))
	d.sh(t, "echo go >"+dir+"/go", block)
	seen := dry.all()
	if len(seen) == 0 || seen[len(seen)-1].str("kind") != "finalized" || slices.Contains(kinds(seen), "output_appended") || slices.Contains(kinds(seen), "lagged") {
		t.Errorf("%v", kinds(seen))
	}
	if seen := started.all(); len(seen) != 1 || started.id != itoa(seen[0].num("seq")) {
		t.Errorf("%v, id %q", seen, started.id)
	}
	all.until("both ends", func(ev m) bool { return ev.str("kind") == "finalized" && ev.num("process") == id })
	for _, query := range []string{"kind=process_started", "except=output_appended"} {
		last := map[string]string{"kind=process_started": started.id, "except=output_appended": dry.id}[query]
		d.do(t, request{method: "GET", path: path(id, "/events?"+query), header: m{"Accept": "text/event-stream", "Last-Event-ID": last}}).want(t, 204)
	}
	rest := d.follow(t, path(id, "/events?kind=exited,finalized"), m{"Last-Event-ID": started.id})
	if got := kinds(rest.all()); !slices.Equal(got, []string{"exited", "finalized"}) {
		t.Errorf("taken up again: %v", got)
	}
}

// A slow reader who leaves lines out misses nothing in a flood of them.
func TestFloodLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	d := shared(t)
	tag := unique("flood")
	s := d.follow(t, "/events?except=output_appended&tag="+tag, nil) // not read meanwhile
	d.sh(t, "seq 1 300000", block, m{"interpreter": "none", "tags": []string{tag}}).wantEnd(t, "success")
	seen := s.until("the end", kind("finalized"))
	if got := kinds(seen); got[0] != "process_created" || slices.Contains(got, "lagged") || slices.Contains(got, "output_appended") {
		t.Errorf("%v", got)
	}
}

// Near the end of a huge log a page costs what a page costs.
func TestPagesOfAHugeLog(t *testing.T) {
	t.Parallel()
	d := shared(t)
	id := d.sh(t, "seq 1 1000000", block, m{"interpreter": "none"}).wantEnd(t, "success").id()
	for _, query := range []string{"except=output_appended", "before=999999999&kind=output_appended&limit=200", "before=500000&limit=200"} {
		begun := time.Now() // a figure, not a bound
		page := d.get(t, path(id, "/events?"+query)).want(t, 200).json(t)
		t.Logf("%s: %d events in %v", query, len(page.list("events")), time.Since(begun))
		if n := len(page.list("events")); n < 5 || n > 200 {
			t.Errorf("%s: %d events", query, n)
		}
	}
	s := d.follow(t, path(id, "/events?except=output_appended"), nil)
	if _, err := s.next(); err == io.EOF {
		t.Error("the stream is empty")
	}
}
