package telemetry_test

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/telemetry"
)

func TestRequestsByRoute(t *testing.T) {
	tel := start(t, telemetry.Config{Version: "1.2.3"})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /processes/{id}", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("id") == "7" {
			w.WriteHeader(http.StatusNotFound)
		}
	})
	mux.HandleFunc("POST /processes", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(http.StatusCreated)
	})
	mux.HandleFunc("GET /broken", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	s := serve(t, tel.Middleware(mux))
	for _, path := range []string{"/processes/1", "/processes/2?x=secret", "/processes/7", "/secret/path"} {
		call(t, http.MethodGet, s.URL+path)
	}
	call(t, http.MethodPost, s.URL+"/processes")
	call(t, "BREW", s.URL+"/processes/1")
	if resp, err := http.Get(s.URL + "/broken"); err == nil {
		resp.Body.Close()
		t.Error("a handler that panics has answered")
	}
	http.DefaultClient.CloseIdleConnections()

	got := scrape(t, tel)
	for _, c := range []struct {
		route, method, status string
		want                  float64
	}{
		{"/processes/{id}", "GET", "200", 2},
		{"/processes/{id}", "GET", "404", 1},
		{"/processes", "POST", "201", 1},
		{"unmatched", "GET", "404", 1},
		{"unmatched", "_OTHER", "405", 1},
		{"/broken", "GET", "500", 1},
	} {
		if n := value(got, "reeve_http_requests_total", "route", c.route, "method", c.method, "status", c.status); n != c.want {
			t.Errorf("%s %s %s: %v requests, want %v", c.method, c.route, c.status, n, c.want)
		}
	}
	if n := value(got, "reeve_http_request_duration_seconds", "route", "/processes/{id}", "method", "GET"); n != 3 {
		t.Errorf("%v requests were timed, want 3", n)
	}
	if n := value(got, "reeve_http_requests_in_flight"); n != 0 {
		t.Errorf("%v requests in flight", n)
	}
	if all := call(t, http.MethodGet, serve(t, tel.Handler()).URL); strings.Contains(all, "secret") {
		t.Error("a raw path became a label")
	}
}

func TestStreamsAreCountedAndNotTimed(t *testing.T) {
	tel := start(t, telemetry.Config{})
	release := make(chan struct{})
	stream := func(kind string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, "data: 1\n\n")
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
			<-release
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /events", stream("text/event-stream; charset=utf-8"))
	mux.HandleFunc("GET /stdout", stream("text/plain"))
	s := serve(t, tel.Middleware(mux))
	events, output := do(t, "GET", s.URL+"/events"), do(t, "GET", s.URL+"/stdout")
	for _, r := range []*http.Response{events, output} {
		if line, err := bufio.NewReader(r.Body).ReadString('\n'); err != nil || line != "data: 1\n" {
			t.Fatalf("%q, %v before the end", line, err)
		}
	}
	open := scrape(t, tel)
	for _, kind := range []string{"events", "output"} {
		if n := value(open, "reeve_http_open_streams", "kind", kind); n != 1 {
			t.Errorf("%v streams of %s are open, want 1", n, kind)
		}
	}
	if n := value(open, "reeve_http_requests_in_flight"); n != 2 {
		t.Errorf("%v requests in flight, want 2", n)
	}
	close(release)
	eventually(t, "the streams are closed", func() bool {
		now := scrape(t, tel)
		return value(now, "reeve_http_open_streams", "kind", "events") == 0 &&
			value(now, "reeve_http_open_streams", "kind", "output") == 0 &&
			value(now, "reeve_http_requests_in_flight") == 0
	})
	if n := value(scrape(t, tel), "reeve_http_request_duration_seconds", "route", "/events", "method", "GET"); n != -1 {
		t.Errorf("%v streams were timed as if they were requests", n)
	}
}

func TestProcesses(t *testing.T) {
	tel := start(t, telemetry.Config{Version: "1.2.3"})
	tel.CountStates(func() map[process.State]int {
		return map[process.State]int{process.Idle: 1000, process.Queued: 3, process.Running: 2}
	})
	ok, bad, never := queued(1), queued(2), queued(3)
	for _, p := range []*process.Process{ok, bad, never} {
		tel.Created(p)
	}
	tel.Started(running(ok))
	tel.Started(running(bad))
	tel.Stalled(running(bad))
	tel.Finished(finished(running(ok), process.ExitSuccess, process.Outcome{Kind: process.OutcomeSucceeded}))
	tel.Finished(finished(running(bad), process.ExitFailed, process.Outcome{Kind: process.OutcomeFailed}))
	tel.Finished(finished(never, process.ExitCanceled, process.Outcome{Kind: process.OutcomeCancelled}))

	got := scrape(t, tel)
	for _, c := range []struct {
		name   string
		labels []string
		want   float64
	}{
		{"reeve_processes_created_total", []string{"environment", "command"}, 3},
		{"reeve_runs_started_total", []string{"environment", "command"}, 2},
		{"reeve_runs_finished_total", []string{"environment", "command", "exit_state", "success"}, 1},
		{"reeve_runs_finished_total", []string{"environment", "command", "exit_state", "failed"}, 1},
		{"reeve_runs_finished_total", []string{"environment", "command", "exit_state", "canceled"}, 1},
		{"reeve_runs_stalled_total", []string{"environment", "command"}, 1},
		{"reeve_run_duration_seconds", []string{"environment", "command"}, 2},
		{"reeve_processes", []string{"state", "queued"}, 3},
		{"reeve_processes", []string{"state", "running"}, 2},
		{"reeve_processes", []string{"state", "terminating"}, 0},
		{"reeve_processes", []string{"state", "idle"}, -1},
	} {
		if n := value(got, c.name, c.labels...); n != c.want {
			t.Errorf("%s%v is %v, want %v", c.name, c.labels, n, c.want)
		}
	}
	if sum := got["reeve_run_duration_seconds"].GetMetric()[0].GetHistogram().GetSampleSum(); sum != 4 {
		t.Errorf("runs took %v s, want 4", sum)
	}
	for _, name := range []string{"reeve_build_info", "go_goroutines", "process_cpu_seconds_total"} {
		if got[name] == nil {
			t.Errorf("%s is missing", name)
		}
	}
}

func TestTwoInstancesShareNothing(t *testing.T) {
	a, b := start(t, telemetry.Config{}), start(t, telemetry.Config{})
	a.Created(queued(1))
	if n := value(scrape(t, b), "reeve_processes_created_total", "environment", "command"); n != -1 {
		t.Errorf("the other instance counts %v", n)
	}
}

// TestTheDocsListEveryMetric reads what is really exposed, each metric having
// been used.
func TestTheDocsListEveryMetric(t *testing.T) {
	docs, err := os.ReadFile("../docs/observability.md")
	if err != nil {
		t.Fatal(err)
	}
	c := newCollector(t)
	tel := start(t, telemetry.Config{Endpoint: c.URL})
	tel.CountStates(func() map[process.State]int { return nil })
	tel.CountNotifications(func() (telemetry.Notifications, error) { return telemetry.Notifications{}, nil })
	call(t, "GET", serve(t, tel.Middleware(http.NotFoundHandler())).URL)
	p := queued(1)
	tel.Created(p)
	tel.Started(running(p))
	tel.Stalled(running(p))
	tel.Finished(finished(running(p), process.ExitSuccess, process.Outcome{Kind: process.OutcomeSucceeded}))
	closeNow(t, tel)
	families := scrape(t, tel)
	ours := 0
	for name, f := range families {
		if !strings.HasPrefix(name, "reeve_") {
			continue
		}
		ours++
		row := ""
		for line := range strings.Lines(string(docs)) {
			if strings.HasPrefix(line, "| `"+name+"` |") {
				row = line
			}
		}
		if row == "" {
			t.Errorf("docs/observability.md has no row for %s", name)
		}
		for _, l := range f.GetMetric()[0].GetLabel() {
			if !strings.Contains(row, "`"+l.GetName()+"`") {
				t.Errorf("docs/observability.md does not tell the label %s of %s", l.GetName(), name)
			}
		}
	}
	if rows := strings.Count(string(docs), "\n| `reeve_"); rows != ours {
		t.Errorf("docs/observability.md lists %d metrics, there are %d", rows, ours)
	}
}
