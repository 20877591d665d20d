//go:build linux

package e2e

import (
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
	"testing"
)

func (r m) id() int64         { return r.num("id") }
func (r m) state() string     { return r.str("state") }
func (r m) exitState() string { return r.str("exitState") }

// str is a text, or "" for null.
func (r m) str(key string) string { s, _ := r[key].(string); return s }

func (r m) num(key string) int64 { n, _ := r[key].(float64); return int64(n) }

func (r m) obj(key string) m { o, _ := r[key].(map[string]any); return o }

func (r m) list(key string) (objects []m) {
	items, _ := r[key].([]any)
	for _, item := range items {
		o, _ := item.(map[string]any)
		objects = append(objects, o)
	}
	return objects
}

// create makes a process, which is ended with the test.
func (d *daemon) create(t testing.TB, body m) m {
	t.Helper()
	a := d.post(t, "/processes", body)
	if a.status != 201 {
		t.Fatalf("%v, want 201", a)
	}
	rec := a.json(t)
	t.Cleanup(func() {
		if !d.over() {
			_, _ = d.try(request{method: "POST", path: path(rec.id(), "/signals/kill"), body: m{"now": true, "block": true}})
		}
	})
	return rec
}

// fake makes a process of the scriptable environment.
func (d *daemon) fake(t testing.TB, script string, more ...m) m {
	t.Helper()
	return d.create(t, with(m{"environment": "fake", "code": script}, more...))
}

// sh makes a process of the system's shell.
func (d *daemon) sh(t testing.TB, script string, more ...m) m {
	t.Helper()
	return d.create(t, with(m{"environment": "command", "code": script}, more...))
}

func with(body m, more ...m) m {
	all := m{}
	maps.Copy(all, body)
	for _, extra := range more {
		maps.Copy(all, extra)
	}
	return all
}

var block = m{"block": true}

func path(id int64, rest string) string { return fmt.Sprintf("/processes/%d%s", id, rest) }

func (d *daemon) record(t testing.TB, id int64) m {
	t.Helper()
	return d.get(t, path(id, "")).want(t, 200).json(t)
}

// await waits until a process is in a state and returns its record.
func (d *daemon) await(t testing.TB, id int64, state string) (rec m) {
	t.Helper()
	waitFor(t, fmt.Sprintf("process %d %s", id, state), func() bool {
		rec = d.record(t, id)
		return rec.state() == state
	})
	return rec
}

// wantEnd checks how a process ended.
func (r m) wantEnd(t testing.TB, exitState string) m {
	t.Helper()
	if r.state() != "idle" || r.exitState() != exitState {
		t.Errorf("process %d is %s/%s (%v), want idle/%s", r.id(), r.state(), r.exitState(), r["error"], exitState)
	}
	return r
}

func (d *daemon) kill(t testing.TB, id int64, body m) m {
	t.Helper()
	return d.post(t, path(id, "/signals/kill"), with(body)).want(t, 200).json(t)
}

func (d *daemon) delete(t testing.TB, id int64) answer {
	t.Helper()
	return d.do(t, request{method: "DELETE", path: path(id, "")})
}

// inState makes a process in a named state. The queued one needs a daemon with
// one slot for "fake" that is taken.
func (d *daemon) inState(t testing.TB, state string) int64 {
	t.Helper()
	ts := m{"environment": "typescript"}
	switch state {
	case "never":
		return d.fake(t, "out x", m{"autorun": false}).id()
	case "queued":
		return d.fake(t, "out x").id()
	case "running":
		id := d.fake(t, "out begun\nhang", ts).id()
		d.await(t, id, "running")
		return id
	case "terminating":
		id := d.fake(t, "stubborn", ts).id()
		d.await(t, id, "running")
		if rec := d.kill(t, id, m{"grace": 60000}); rec.state() != "terminating" {
			t.Fatalf("a stubborn process is %s after the kill", rec.state())
		}
		return id
	case "deleted":
		id := d.fake(t, "", m{"autorun": false}).id()
		d.delete(t, id).want(t, 200)
		return id
	case "unknown":
		return 1 << 40
	}
	return d.ended(t, state)
}

// ended makes a process that ended in a named way.
func (d *daemon) ended(t testing.TB, exitState string) int64 {
	t.Helper()
	script := map[string]string{"success": "out done", "failed": "fail no luck", "timeout": "hang", "canceled": "hang"}[exitState]
	body := m{"environment": "typescript"}
	switch exitState {
	case "timeout":
		body["options"] = m{"timeout": 20}
	case "canceled":
		id := d.fake(t, script, body).id()
		d.await(t, id, "running")
		d.kill(t, id, m{"block": true, "now": true}).wantEnd(t, exitState)
		return id
	}
	rec := d.fake(t, script, body, block).wantEnd(t, exitState)
	return rec.id()
}

var uniques atomic.Int64

// unique is a name nothing else has, also not in an earlier round of the tests.
func unique(prefix string) string { return fmt.Sprintf("%s-%d", prefix, uniques.Add(1)) }

func lines(texts ...string) string { return strings.Join(texts, "\n") }
