//go:build linux

package e2e

import (
	"strings"
	"testing"
)

// Each row of the contract's table in each state a process can be in: the
// status, and the code where it is an error.
func TestEachRouteInEachState(t *testing.T) {
	t.Parallel()
	d := start(t, "--concurrency", "fake=1")
	d.await(t, d.fake(t, "hang").id(), "running") // takes the only slot
	const (
		idle   = "never success failed timeout canceled"
		active = "queued running terminating"
		absent = "deleted unknown"
	)
	type expect map[string]string // states: status and code
	for _, row := range []struct {
		route string
		want  expect
	}{
		{"GET ", expect{idle + " " + active: "200"}},
		{"GET /code", expect{idle + " " + active: "200"}},
		{"GET /tree", expect{idle + " " + active: "200"}},
		{"GET /events", expect{idle + " " + active: "200"}},
		{"GET /runs", expect{idle + " " + active: "200"}},
		{"GET /output", expect{idle: "200", active: "409 not_idle"}},
		{"GET /stdout", expect{idle: "200", active: "409 not_idle"}},
		{"GET /stderr", expect{idle: "200", active: "409 not_idle"}},
		{"GET /runs/1", expect{"never": "404 not_found", "success failed timeout canceled running terminating": "200"}},
		{"GET /runs/1/output", expect{"never": "404 not_found", "success failed timeout canceled": "200", "running terminating": "409 not_idle"}},
		{"GET /runs/1/stdout", expect{"never": "404 not_found", "success failed timeout canceled": "200", "running terminating": "409 not_idle"}},
		{"GET /runs/1/stderr", expect{"never": "404 not_found", "success failed timeout canceled": "200", "running terminating": "409 not_idle"}},
		{"GET /runs/2", expect{"never success failed timeout canceled running": "404 not_found"}},
		{"POST /signals/run", expect{"never": "200", "success failed timeout canceled": "409 has_outputs", active: "409 not_idle"}},
		{"POST /signals/kill", expect{idle: "409 already_idle", active: "200"}},
		{"POST /signals/term", expect{idle + " queued": "409 not_running"}},
		{"POST /signals/int", expect{idle + " queued": "409 not_running"}},
		{"POST /signals/pause", expect{idle + " queued": "409 not_running"}},
		{"POST /signals/resume", expect{idle + " queued": "409 not_running"}},
		{"DELETE ", expect{idle: "200", active: "409 not_idle"}},
	} {
		row.want[absent] = "404 not_found"
		method, rest, _ := strings.Cut(row.route, " ")
		t.Run(strings.ReplaceAll(row.route, "/", " "), func(t *testing.T) {
			for states, want := range row.want {
				status, code, _ := strings.Cut(want, " ")
				for state := range strings.FieldsSeq(states) {
					a := d.do(t, request{method: method, path: path(d.inState(t, state), rest)})
					if itoa(int64(a.status)) != status {
						t.Errorf("%s: %v, want %s", state, a, want)
					} else if code != "" {
						a.wantError(t, code)
					}
				}
			}
		})
	}
}

// What is no id is refused as such, on every route that takes one.
func TestBadIDs(t *testing.T) {
	t.Parallel()
	d := shared(t)
	for _, id := range []string{"0", "-1", "abc", "1x", "x1", "1.0", "1e3", "%20", "%201", "1%20", "007", "+1", "0x1",
		"99999999999999999999", "9223372036854775808", "null", "%00", "1%2fcode", "١"} {
		for _, route := range strings.Split("GET |GET /code|GET /output|GET /stdout|GET /stderr|GET /runs|GET /tree|GET /events|"+
			"POST /signals/run|POST /signals/kill|POST /signals/term|POST /signals/pause|DELETE ", "|") {
			method, rest, _ := strings.Cut(route, " ")
			d.do(t, request{method: method, path: "/processes/" + id + rest}).want(t, 400, "invalid_request").naming(t, "id")
		}
		d.get(t, "/mci/processes/"+id).want(t, 400, "invalid_request")
	}
	d.get(t, "/processes/9223372036854775807").want(t, 404, "not_found")
	for _, run := range []string{"0", "-1", "x", "1x", "01", "99999999999999999999"} {
		d.get(t, path(d.ended(t, "success"), "/runs/"+run)).want(t, 400, "invalid_request")
	}
	if a := d.get(t, "/processes/"); a.status != 400 && a.status != 404 {
		t.Errorf("%v, want 400 or 404", a)
	} else {
		a.wantError(t)
	}
}

// Bodies of signals are optional and strict.
func TestSignalBodies(t *testing.T) {
	t.Parallel()
	d := shared(t)
	id := d.inState(t, "running")
	for _, c := range []struct {
		signal, body, field string
	}{
		{"run", `{"force":"yes"}`, "force"}, {"run", `{"force":1}`, "force"}, {"run", `{"block":"true"}`, "block"},
		{"run", `{"forse":true}`, "forse"}, {"run", `[]`, ""}, {"run", `"x"`, ""}, {"run", `7`, ""}, {"run", `{`, ""}, {"run", `{} x`, ""},
		{"kill", `{"now":1}`, "now"}, {"kill", `{"grace":"5s"}`, "grace"}, {"kill", `{"grace":-1}`, "grace"}, {"kill", `{"grace":1.5}`, "grace"},
		{"kill", `{"tree":"no"}`, "tree"}, {"kill", `{"block":0}`, "block"}, {"kill", `{"signal":9}`, "signal"}, {"kill", `[1]`, ""}, {"kill", `nul`, ""},
		{"term", `{"tree":1}`, "tree"}, {"term", `{"grace":1}`, "grace"}, {"int", `{"now":"x"}`, "now"}, {"pause", `[]`, ""}, {"resume", `{"x":1}`, "x"},
	} {
		d.post(t, path(id, "/signals/"+c.signal), c.body).want(t, 400, "invalid_request").naming(t, c.field)
	}
	if rec := d.record(t, id); rec.state() != "running" {
		t.Errorf("a refused signal made it %s", rec.state())
	}
	for _, body := range []any{nil, "", "{}", m{}} {
		id := d.inState(t, "never")
		d.post(t, path(id, "/signals/run"), body).want(t, 200)
	}
}
