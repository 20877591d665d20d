package telemetry_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/telemetry"
)

const (
	clientTrace  = "0af7651916cd43dd8448eb211c80319c"
	clientSpan   = "b7ad6b7169203331"
	clientParent = "00-" + clientTrace + "-" + clientSpan + "-01"
)

// create answers as the server does: the process is told, then the answer is
// written.
func create(tell func(r *http.Request)) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /processes", func(w http.ResponseWriter, r *http.Request) {
		tell(r)
		w.Header().Set("Location", "/processes/42")
		w.WriteHeader(http.StatusCreated)
	})
	mux.HandleFunc("GET /health", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /processes/{id}", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
	})
	return mux
}

var exitSeven = process.Outcome{Kind: process.OutcomeFailed, Reason: &process.FailureReason{Kind: process.FailExitCode, ExitCode: 7}}

func TestARunIsAChildOfItsRequest(t *testing.T) {
	c := newCollector(t)
	tel := start(t, telemetry.Config{Endpoint: c.URL, Version: "1.2.3"})
	trace := ""
	s := serve(t, tel.Middleware(create(func(r *http.Request) {
		trace = telemetry.TraceID(r.Context())
		tel.CreatedIn(r.Context(), queued(42))
	})))
	call(t, "POST", s.URL+"/processes?token=secret", "traceparent", clientParent)
	tel.Started(running(queued(42)))
	p := finished(running(queued(42)), process.ExitFailed, exitSeven)
	p.Exit = &process.Exit{Code: 7}
	tel.Finished(p)
	closeNow(t, tel)

	request, run := c.named("POST /processes"), c.named("run command")
	if trace != clientTrace || request.TraceID != clientTrace || request.ParentSpanID != clientSpan {
		t.Errorf("the request is not part of the client's trace: %+v", request)
	}
	if run.TraceID != clientTrace || run.ParentSpanID != request.SpanID || len(run.Links) != 0 {
		t.Errorf("the run is no child of its request: %+v", run)
	}
	if request.Kind != 2 || run.Kind != 1 {
		t.Errorf("kinds are %d and %d, want a server's and an internal one", request.Kind, run.Kind)
	}
	if request.Flags != 0x301 || run.Flags != 0x101 {
		t.Errorf("flags are %x and %x", request.Flags, run.Flags)
	}
	want := map[string]any{"http.route": "/processes", "http.request.method": "POST", "url.path": "/processes",
		"http.response.status_code": int64(201), "reeve.process.id": int64(42)}
	if d := cmp.Diff(want, asMap(request.Attributes)); d != "" {
		t.Errorf("the request's attributes (-want +got):\n%s", d)
	}
	want = map[string]any{"reeve.process.id": int64(42), "reeve.environment": "command", "reeve.run": int64(1),
		"reeve.exit_state": "failed", "reeve.outcome": "failed", "reeve.exit_code": int64(7),
		"reeve.usage.wall_ms": int64(2000), "reeve.usage.cpu_ms": int64(0)}
	if d := cmp.Diff(want, asMap(run.Attributes)); d != "" {
		t.Errorf("the run's attributes (-want +got):\n%s", d)
	}
	if run.Status.Code != 2 || run.Status.Message != "exit status 7" {
		t.Errorf("its status is %+v", run.Status)
	}
	if run.StartTimeUnixNano != birth.UnixNano() || run.EndTimeUnixNano != birth.Add(3*time.Second).UnixNano() {
		t.Error("its times are not those of the record")
	}
	if len(run.Events) != 1 || run.Events[0].Name != "started" || run.Events[0].TimeUnixNano != birth.Add(time.Second).UnixNano() {
		t.Errorf("it does not tell when the queue was over: %+v", run.Events)
	}
	if c.resource["service.name"] != "reeve" || c.resource["service.version"] != "1.2.3" {
		t.Errorf("resource %v", c.resource)
	}
}

// Without the request's context both still find each other, whether the run
// ends before the answer or after it.
func TestARunIsLinkedWithItsRequest(t *testing.T) {
	for name, blocking := range map[string]bool{"blocking": true, "not blocking": false} {
		t.Run(name, func(t *testing.T) {
			c := newCollector(t)
			tel := start(t, telemetry.Config{Endpoint: c.URL})
			end := func() {
				tel.Started(running(queued(42)))
				tel.Finished(finished(running(queued(42)), process.ExitSuccess, process.Outcome{Kind: process.OutcomeSucceeded}))
			}
			s := serve(t, tel.Middleware(create(func(*http.Request) {
				tel.Created(queued(42))
				if blocking {
					end()
				}
			})))
			call(t, "POST", s.URL+"/processes")
			if !blocking {
				end()
			}
			closeNow(t, tel)
			request, run := c.named("POST /processes"), c.named("run command")
			if len(request.Links) != 1 || request.Links[0].SpanID != run.SpanID || request.Links[0].TraceID != run.TraceID {
				t.Errorf("the request has links %+v", request.Links)
			}
			if !blocking && (len(run.Links) != 1 || run.Links[0].SpanID != request.SpanID) {
				t.Errorf("the run has links %+v", run.Links)
			}
			if run.Status.Code != 0 || run.ParentSpanID != "" {
				t.Errorf("%+v", run)
			}
		})
	}
}

func TestARunNobodyAnnounced(t *testing.T) {
	c := newCollector(t)
	tel := start(t, telemetry.Config{Endpoint: c.URL})
	parked := queued(1)
	parked.State, parked.Number = process.Idle, 0
	tel.Created(parked)
	lost := finished(queued(2), process.ExitFailed, process.Outcome{Kind: process.OutcomeFailed,
		Reason: &process.FailureReason{Kind: process.FailSpawn, Error: "secret words of a program"}})
	tel.Finished(lost)
	closeNow(t, tel)
	run := c.named("run command")
	if id := asMap(run.Attributes)["reeve.process.id"]; id != int64(2) {
		t.Errorf("the span is of process %v", id)
	}
	if run.Status.Message != "spawn_failed" {
		t.Errorf("its status says %q", run.Status.Message)
	}
}

func TestFailingRequestsAndProbes(t *testing.T) {
	c := newCollector(t)
	tel := start(t, telemetry.Config{Endpoint: c.URL})
	s := serve(t, tel.Middleware(create(nil)))
	call(t, "GET", s.URL+"/health")
	call(t, "GET", s.URL+"/processes/9")
	closeNow(t, tel)
	if n := c.count(); n != 1 {
		t.Errorf("%d spans, want that of the one request that is no probe", n)
	}
	got := c.named("GET /processes/{id}")
	if got.Status.Code != 2 || asMap(got.Attributes)["reeve.process.id"] != int64(9) {
		t.Errorf("%+v", got)
	}
}

func TestWithoutACollectorNoSpanIsMade(t *testing.T) {
	tel := start(t, telemetry.Config{})
	if tel.Tracing() {
		t.Error("traces are on")
	}
	s := serve(t, tel.Middleware(create(func(r *http.Request) {
		if id := telemetry.TraceID(r.Context()); id != "" {
			t.Errorf("the request is in trace %s", id)
		}
		tel.CreatedIn(r.Context(), queued(42))
	})))
	call(t, "POST", s.URL+"/processes", "traceparent", clientParent)
	p := finished(running(queued(42)), process.ExitFailed, exitSeven)
	tel.Finished(p)
	tel.Created(p)
	if n := testing.AllocsPerRun(100, func() { tel.Created(p); tel.Finished(p) }); n > 0 {
		t.Errorf("%v allocations for a process that nobody traces", n)
	}
}
