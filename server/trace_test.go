package server_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/server"
)

func TestTraceStream(t *testing.T) {
	ts := serve(t, reeve.Config{}, server.Config{})
	if r := do(t, ts, "POST", "/processes", `{"code":"hang"}`); r.status != 201 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	req, err := http.NewRequestWithContext(t.Context(), "GET", ts.URL+"/processes/1/trace", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := ts.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != 200 || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		t.Fatalf("%d %v", res.StatusCode, res.Header)
	}
	if r := do(t, ts, "POST", "/processes/1/signals/pause", ""); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	if r := do(t, ts, "POST", "/processes/1/signals/kill", `{"now":true}`); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	calls := map[string]map[string]any{}
	last := ""
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var call map[string]any
		if err := json.Unmarshal([]byte(data), &call); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"at", "call", "args", "durationMs", "error", "dropped"} {
			if _, ok := call[key]; !ok || len(call) != 6 {
				t.Errorf("%s: no %s", data, key)
			}
		}
		last = call["call"].(string)
		calls[last] = call
	}
	if last != "Reap" || calls["Pause"] == nil || calls["Kill"] == nil ||
		calls["Signal"]["args"].(map[string]any)["signal"] != "SIGPAUSE" {
		t.Errorf("the last was %s: %v", last, calls)
	}
}

// The sentences of kernel calls are those for people, without the call's name.
func TestSentencesOfKernelCalls(t *testing.T) {
	ts := serve(t, reeve.Config{}, server.Config{})
	do(t, ts, "POST", "/processes", `{"code":"","block":true}`)
	for _, c := range []struct {
		method, path, code, sentence string
		status                       int
	}{
		{"GET", "/processes/1/trace", "not_running", "process 1 is idle: only a running process can be traced", 409},
		{"GET", "/processes/9/trace", "not_found", "no such process: 9", 404},
		{"GET", "/processes/x/trace", "invalid_request", "", 400},
		{"POST", "/processes/1/signals/kill", "already_idle", "the process is idle already", 409},
		{"POST", "/processes/1/signals/term", "not_running", "process 1 is idle: only a running process takes signals", 409},
		{"POST", "/processes/9/signals/pause", "not_found", "no such process: 9", 404},
		{"POST", "/processes/1/signals/run", "has_outputs", "the process has outputs: use force to run it again", 409},
	} {
		r := do(t, ts, c.method, c.path, "")
		m := r.json(t)
		if r.status != c.status || m["code"] != c.code || c.sentence != "" && m["error"] != c.sentence {
			t.Errorf("%s: %d %s", c.path, r.status, r.body)
		}
	}
}
