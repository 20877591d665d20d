//go:build linux

package e2e

import (
	"slices"
	"strings"
	"testing"
)

// A run is told in order, from its creation to finalized, live and stored
// alike.
func TestEventsOfARun(t *testing.T) {
	t.Parallel()
	d := shared(t)
	g := newGate(t)
	id := d.sh(t, "echo one; echo two >&2; "+g.wait()+"; echo three; exit 3", m{"interpreter": "none"}).id()
	live := d.follow(t, path(id, "/events"), nil)
	before := live.until("the first line", kind("output_appended"))
	g.open(t)
	all := append(before, live.all()...)
	wantSeqs(t, all, 1)
	for _, ev := range stored(all) {
		wantKeys(t, ev, "seq cursor process run at kind")
		if ev.num("process") != id {
			t.Errorf("an event of process %v", ev["process"])
		}
	}
	wantOrder(t, all, "process_created", "process_queued", "process_started", "output_appended", "exited", "reaped", "finalized")
	if all[len(all)-1].str("kind") != "finalized" {
		t.Errorf("the last is %v", all[len(all)-1])
	}
	if got := text(all, "stdout"); !slices.Equal(got, []string{"one", "three"}) {
		t.Errorf("stdout %q", got)
	}
	if got := text(all, "stderr"); !slices.Equal(got, []string{"two"}) {
		t.Errorf("stderr %q", got)
	}
	for _, ev := range all {
		switch ev.str("kind") {
		case "exited":
			wantJSON(t, []any{ev["code"], ev["signal"]}, "[3,null]")
		case "finalized":
			if ev.obj("outcome").str("kind") != "failed" {
				t.Errorf("finalized %v", ev)
			}
		case "process_started":
			if ev.num("pid") < 2 {
				t.Errorf("started %v", ev)
			}
		}
	}
	page := d.events(t, id)
	wantJSON(t, stripped(page), mustJSON(t, stripped(stored(all))))
	again := d.follow(t, path(id, "/events"), nil)
	wantJSON(t, stripped(again.all()), mustJSON(t, stripped(page)))
	if again.id != itoa(page[len(page)-1].num("seq")) {
		t.Errorf("the last event id is %q, want the seq", again.id)
	}
}

// stripped leaves what must be the same however an event is read.
func stripped(events []m) (same []m) {
	for _, ev := range events {
		same = append(same, m{"seq": ev["seq"], "cursor": ev["cursor"], "kind": ev["kind"], "line": ev["line"], "run": ev["run"], "stream": ev["stream"], "offset": ev["offset"]})
	}
	return same
}

// wantOrder checks that the first events of each kind come in an order.
func wantOrder(t testing.TB, events []m, names ...string) {
	t.Helper()
	at := -1
	for _, name := range names {
		next := slices.Index(kinds(events), name)
		if next <= at {
			t.Fatalf("%s is at %d, after %d: %v", name, next, at, kinds(events))
		}
		at = next
	}
}

// after= and Last-Event-ID go on where somebody stopped.
func TestEventsResume(t *testing.T) {
	t.Parallel()
	d := shared(t)
	id := d.sh(t, "seq 1 50", block, m{"interpreter": "none"}).id()
	all := d.events(t, id)
	last := all[len(all)-1].num("seq")
	for _, after := range []int64{0, 1, 7, last - 1, last, last + 100} {
		rest := all[min(after, last):]
		page := d.get(t, path(id, "/events?after="+itoa(after))).want(t, 200).json(t)
		wantJSON(t, stripped(page.list("events")), mustJSON(t, stripped(rest)))
		for _, s := range []*stream{
			d.follow(t, path(id, "/events?after="+itoa(after)), nil),
			d.follow(t, path(id, "/events"), m{"Last-Event-ID": after}),
		} {
			if code := s.resp.StatusCode; code != 200 && code != 204 {
				t.Fatalf("after %d: %d", after, code)
			}
			wantJSON(t, stripped(s.all()), mustJSON(t, stripped(rest)))
		}
	}
	for _, after := range []string{"x", "-1", "1.5", "", "99999999999999999999"} {
		d.get(t, path(id, "/events?after="+after)).want(t, 400, "invalid_request").naming(t, "after")
	}
	d.do(t, request{method: "GET", path: path(id, "/events"), header: m{"Accept": "text/event-stream", "Last-Event-ID": "bogus"}}).want(t, 400, "invalid_request").naming(t, "Last-Event-ID")
}

// A stream opened before a run sees it; one of a finished process that runs
// again goes on through every run.
func TestEventsOfSeveralRuns(t *testing.T) {
	t.Parallel()
	d := shared(t)
	id := d.sh(t, "echo x", m{"autorun": false, "interpreter": "none"}).id()
	idle := d.follow(t, path(id, "/events"), nil)
	if first, err := idle.next(); err != nil || first.str("kind") != "process_created" {
		t.Fatalf("%v %v", first, err)
	}
	d.post(t, path(id, "/signals/run"), block).want(t, 200)
	d.post(t, path(id, "/signals/run"), m{"force": true, "block": true}).want(t, 200)
	all := d.follow(t, path(id, "/events"), nil).all()
	wantSeqs(t, all, 1)
	if n := len(slices.DeleteFunc(kinds(all), func(k string) bool { return k != "finalized" })); n != 2 {
		t.Errorf("finalized %d times in two runs", n)
	}
	run := int64(0)
	for _, ev := range all {
		if ev.num("run") < run {
			t.Errorf("run %d after run %d", ev.num("run"), run)
		}
		run = ev.num("run")
	}
}

// A process that was never run has no finalized yet: its stream waits for the
// first run and tells it.
func TestEventsBeforeTheFirstRun(t *testing.T) {
	t.Parallel()
	d := shared(t)
	id := d.fake(t, "out x", m{"autorun": false}).id()
	s := d.follow(t, path(id, "/events"), nil)
	seen := s.until("process_created", kind("process_created"))
	d.post(t, path(id, "/signals/run"), block).want(t, 200)
	seen = append(seen, s.all()...)
	wantSeqs(t, seen, 1)
	if last := seen[len(seen)-1].str("kind"); last != "finalized" {
		t.Errorf("the stream ended with %s, before the run", last)
	}
}

// Many read one process; each gets everything, whenever it came.
func TestManySubscribers(t *testing.T) {
	t.Parallel()
	d := shared(t)
	id := d.sh(t, "for i in $(seq 1 40); do echo $i; sleep 0.005; done", m{"interpreter": "none"}).id()
	done := make(chan []m)
	const n = 25
	for range n {
		s := d.follow(t, path(id, "/events"), nil)
		go func() {
			var all []m
			for {
				ev, err := s.next()
				if err != nil {
					done <- all
					return
				}
				all = append(all, ev)
			}
		}()
	}
	want := ""
	for range n {
		got := strings.Join(text(<-done, "stdout"), " ")
		if want == "" {
			want = got
		}
		if got != want || !strings.HasPrefix(got, "1 2 3 4 5") || !strings.HasSuffix(got, "39 40") {
			t.Errorf("a subscriber got %q", got)
		}
	}
}

// Lines are split at \n, \r\n and bare \r; what is not UTF-8 becomes U+FFFD;
// long lines come in pieces, none lost.
func TestLines(t *testing.T) {
	t.Parallel()
	d := shared(t)
	rec := d.sh(t, `printf 'a\nb\r\nc\rd\n\n\377x\342\202\254\nlast'`, block, m{"interpreter": "none"})
	all := d.events(t, rec.id())
	if got, want := text(all, "stdout"), []string{"a", "b", "c", "d", "", "\uFFFDx€", "last"}; !slices.Equal(got, want) {
		t.Errorf("lines %q, want %q", got, want)
	}
	offset := []int64{0, 2, 5, 7, 9, 10, 16}
	for i, ev := range slices.DeleteFunc(all, func(ev m) bool { return ev.str("kind") != "output_appended" }) {
		if i < len(offset) && ev.num("offset") != offset[i] {
			t.Errorf("line %d is at %d, want %d", i, ev.num("offset"), offset[i])
		}
	}
	long := d.sh(t, `head -c 200000 /dev/zero | tr '\0' 'z'; echo; echo end`, block, m{"interpreter": "none"})
	pieces := text(d.events(t, long.id()), "stdout")
	if joined := strings.Join(pieces, ""); joined != strings.Repeat("z", 200000)+"end" || len(pieces) < 4 {
		t.Errorf("%d pieces, %d bytes", len(pieces), len(joined))
	}
	split := d.sh(t, `printf '\342'; sleep 0.3; printf '\202'; sleep 0.02; printf '\254\n'`, block, m{"interpreter": "none"})
	if got := text(d.events(t, split.id()), "stdout"); !slices.Equal(got, []string{"€"}) {
		t.Errorf("a character written in three pieces: %q", got)
	}
}

// A prompt is seen while the program waits, and completed later.
func TestPartialLine(t *testing.T) {
	t.Parallel()
	d := shared(t)
	g := newGate(t)
	id := d.sh(t, "printf 'name? '; "+g.wait()+"; echo Ann; "+g.wait()+"; echo next", m{"interpreter": "none"}).id()
	s := d.follow(t, path(id, "/events"), nil)
	seen := s.until("the prompt", func(ev m) bool { return ev["partial"] == true })
	partial := seen[len(seen)-1]
	if partial.str("line") != "name? " || partial.str("stream") != "stdout" {
		t.Errorf("partial %v", partial)
	}
	g.open(t)
	seen = append(seen, s.until("the line", func(ev m) bool { return ev.str("line") == "name? Ann" && ev["partial"] != true })...)
	if ev := seen[len(seen)-1]; ev["seq"] != partial["seq"] {
		t.Errorf("the partial had seq %v, the line %v", partial["seq"], ev["seq"])
	}
	g.open(t)
	seen = append(seen, s.all()...)
	wantSeqs(t, seen, 1)
	if got := text(seen, "stdout"); !slices.Equal(got, []string{"name? Ann", "next"}) {
		t.Errorf("lines %q", got)
	}
	for _, ev := range d.events(t, id) {
		if ev["partial"] == true {
			t.Error("a partial line is stored")
		}
	}
}
