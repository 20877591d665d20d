//go:build linux

package e2e

import (
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Nothing a client sends gives a 500 or an answer that is not JSON where an
// error is told.
func TestHostileRequests(t *testing.T) {
	t.Parallel()
	d := start(t)
	d.fake(t, "out x", block)
	word := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "0", "1", "-1", "2", "null", "true", "idle", "9223372036854775807", "18446744073709551616",
		"1e400", "\x00", "%", "..", "/", "'; DROP TABLE processes; --", "{}", "[]", strings.Repeat("9", 400), "é", "\xff"}))
	name := rapid.SampledFrom([]string{"state", "status", "ref", "tag", "environment", "parent", "since", "until", "limit", "cursor", "include", "after", "kind", "wait", "follow", "x"})
	rest := rapid.SampledFrom([]string{"", "/code", "/output", "/stdout", "/stderr", "/runs", "/runs/1", "/runs/1/stdout", "/tree", "/events", "/signals/run", "/signals/kill", "/signals/pause"})
	value := rapid.SampledFrom([]string{`null`, `true`, `-1`, `0`, `1.5`, `1e999`, `""`, `"x"`, `" "`, `[]`, `{}`, `[null]`, `{"":null}`, `"\ud800"`, `"\u0000"`, `18446744073709551616`})
	field := rapid.SampledFrom([]string{"code", "ref", "autorun", "block", "environment", "command", "label", "tags", "parent", "interpreter", "priority", "rawOutput", "options", "force", "now", "grace", "tree", "x", ""})
	rapid.Check(t, func(rt *rapid.T) {
		for range 60 {
			r := request{method: rapid.SampledFrom([]string{"GET", "GET", "POST", "DELETE", "PUT", "HEAD"}).Draw(rt, "method"), header: m{}}
			switch rapid.IntRange(0, 5).Draw(rt, "target") {
			case 0:
				r.path = "/processes"
			case 1:
				r.path = "/events"
			case 2:
				r.path = "/mci/processes"
			case 3:
				r.path = "/processes/" + url.PathEscape(word.Draw(rt, "id")) + rest.Draw(rt, "rest")
			case 4:
				r.path = "/approvals" + rapid.SampledFrom([]string{"", "/"}).Draw(rt, "one") + url.PathEscape(word.Draw(rt, "id")) + rapid.SampledFrom([]string{"", "/approve", "/deny"}).Draw(rt, "verdict")
			case 5:
				r.path = "/tools/" + url.PathEscape(word.Draw(rt, "service")) + "/" + url.PathEscape(word.Draw(rt, "tool"))
			}
			if rapid.Bool().Draw(rt, "query") {
				r.path += "?" + name.Draw(rt, "name") + "=" + url.QueryEscape(word.Draw(rt, "value"))
			}
			if r.method == "POST" {
				r.body = "{" + mustJSON(t, field.Draw(rt, "field")) + ":" + value.Draw(rt, "value") + `,"code":` + value.Draw(rt, "code") + "}"
			}
			if rapid.Bool().Draw(rt, "range") {
				r.header["Range"] = "bytes=" + rapid.StringMatching(`[0-9,\-]{0,8}`).Draw(rt, "bytes")
			}
			a, err := d.try(r)
			if err != nil {
				rt.Fatalf("%+v: %v", r, err)
			}
			if a.status >= 500 && a.status != 503 || a.status == 422 {
				rt.Fatalf("%v", a)
			}
			if a.status >= 400 && r.method != "HEAD" && a.object().str("code") == "" {
				rt.Fatalf("%v: no code", a)
			}
		}
	})
}

// What was answered is what is read next: no answer is ahead of the record.
func TestReadYourWrites(t *testing.T) {
	t.Parallel()
	d := shared(t)
	for range 15 {
		if t.Failed() {
			return // once is enough
		}
		created := d.sh(t, "echo x", block).wantEnd(t, "success")
		wantJSON(t, d.record(t, created.id()), mustJSON(t, created))
		if events := d.events(t, created.id()); events[len(events)-1].str("kind") != "finalized" {
			t.Errorf("the last event of a finished process is %v", events[len(events)-1])
		}
		d.get(t, path(created.id(), "/stdout")).want(t, 200)
		if item := d.get(t, "/processes?limit=1000").json(t).list("processes"); !containsIdle(item, created.id()) {
			t.Errorf("process %d is not idle in the list", created.id())
		}
		again := d.post(t, path(created.id(), "/signals/run"), m{"force": true}).want(t, 200).json(t)
		if rec := d.record(t, created.id()); again.num("run") != 2 || rec.num("run") != 2 {
			t.Errorf("run %d was answered, run %d is read", again.num("run"), rec.num("run"))
		}
		d.kill(t, d.inState(t, "running"), block)
	}
}

func containsIdle(items []m, id int64) bool {
	for _, item := range items {
		if item.id() == id {
			return item.state() == "idle" && item["completedAt"] != nil
		}
	}
	return false
}

// Those of a higher priority overtake in the queue; equals keep their order.
func TestPriority(t *testing.T) {
	t.Parallel()
	d := start(t, "--concurrency", "fake=1")
	first := d.fake(t, "hang").id()
	d.await(t, first, "running")
	feed := d.follow(t, "/events?kind=process_started", nil)
	var ids []int64
	for _, priority := range []int{0, -1, 5, 0, 5} {
		ids = append(ids, d.fake(t, "", m{"priority": priority}).id())
	}
	d.kill(t, first, nil)
	for _, i := range []int{2, 4, 0, 3, 1} {
		ev, err := feed.next()
		if err != nil || ev.num("process") != ids[i] {
			t.Fatalf("%v %v started, want %d of %v", ev, err, ids[i], ids)
		}
	}
}
