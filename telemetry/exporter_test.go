package telemetry_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/telemetry"
)

// one tells of a whole run.
func one(tel *telemetry.T, id process.ID) {
	p := queued(id)
	tel.Created(p)
	tel.Started(running(p))
	tel.Finished(finished(running(p), process.ExitSuccess, process.Outcome{Kind: process.OutcomeSucceeded}))
}

func TestWhatTheVariablesSay(t *testing.T) {
	c := newCollector(t)
	tel := start(t, telemetry.Config{Getenv: vars(map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT":    c.URL + "/base/",
		"OTEL_EXPORTER_OTLP_HEADERS":     "x-api-key=a%20key, broken ,x-other=2",
		"OTEL_EXPORTER_OTLP_COMPRESSION": "gzip",
		"OTEL_SERVICE_NAME":              "night-shift",
		"OTEL_RESOURCE_ATTRIBUTES":       "deployment.environment=ci,service.name=loses",
	})})
	one(tel, 1)
	closeNow(t, tel)
	if c.count() != 1 || c.paths[0] != "/base/v1/traces" {
		t.Fatalf("%d spans by %v", c.count(), c.paths)
	}
	h := c.headers[0]
	if h.Get("X-Api-Key") != "a key" || h.Get("X-Other") != "2" || h.Get("Content-Encoding") != "gzip" || h.Get("Content-Type") != "application/json" {
		t.Errorf("headers %v", h)
	}
	if c.resource["service.name"] != "night-shift" || c.resource["deployment.environment"] != "ci" {
		t.Errorf("resource %v", c.resource)
	}
}

func vars(m map[string]string) func(string) string {
	return func(k string) string { return m[k] }
}

// A collector that is there only sometimes: one line when it goes, one when it
// comes back, and what could be kept for it is.
func TestACollectorThatStumbles(t *testing.T) {
	c := newCollector(t, http.StatusServiceUnavailable, http.StatusBadRequest)
	var log logs
	tel := start(t, telemetry.Config{Endpoint: c.URL, Logger: log.logger(), BatchDelay: time.Millisecond})
	send := func(id process.ID) {
		one(tel, id)
		select {
		case <-c.arrived:
		case <-time.After(patience):
			t.Fatalf("the span of process %d never arrives", id)
		}
	}
	send(1)     // 503: it is tried again ...
	<-c.arrived // ... and refused for good
	eventually(t, "that is told", func() bool { return log.count() == 1 })
	send(2)
	eventually(t, "the return is told, too", func() bool { return log.count() == 2 })
	send(3)
	closeNow(t, tel)
	if text := log.text(); log.count() != 2 || !strings.Contains(text, "400 Bad Request") || !strings.Contains(text, "takes spans again") {
		t.Errorf("the log says:\n%s", text)
	}
	got := scrape(t, tel)
	if ok, bad := value(got, "reeve_trace_spans_total", "result", "exported"), value(got, "reeve_trace_spans_total", "result", "failed"); ok != 2 || bad != 1 {
		t.Errorf("%v spans exported and %v failed", ok, bad)
	}
}

// Nobody listens: thousands of runs and requests go on as if nothing were, one
// line is logged, and the end is not held up.
func TestNobodyListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	var log logs
	tel := start(t, telemetry.Config{Endpoint: "http://user:password@" + address, Logger: log.logger(), BatchDelay: time.Millisecond,
		Getenv: vars(map[string]string{"OTEL_EXPORTER_OTLP_TIMEOUT": "1000"})})
	s := serve(t, tel.Middleware(create(func(*http.Request) {})))
	for id := range process.ID(10000) {
		one(tel, id+1)
	}
	call(t, "POST", s.URL+"/processes")
	eventually(t, "it is told", func() bool { return log.count() > 0 })
	for id := range process.ID(10000) {
		one(tel, id+1)
	}
	closeNow(t, tel)
	if n := log.count(); n != 1 {
		t.Errorf("%d lines are logged:\n%s", n, log.text())
	}
	if text := log.text(); strings.Contains(text, "password") || !strings.Contains(text, "refused") {
		t.Errorf("the log says:\n%s", text)
	}
	if n := value(scrape(t, tel), "reeve_trace_spans_total", "result", "failed"); n < 1 {
		t.Errorf("%v spans are counted as failed", n)
	}
}

// A collector that takes the connection and never answers does not hold Close
// beyond its context, and leaves no goroutine (see TestMain).
func TestACollectorThatHangs(t *testing.T) {
	release, arrived := make(chan struct{}), make(chan struct{}, 10)
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-release
	}))
	defer s.Close()
	defer close(release)
	tel, err := telemetry.New(telemetry.Config{Endpoint: s.URL, Getenv: vars(nil), BatchDelay: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	for id := range process.ID(5000) {
		one(tel, id+1)
	}
	<-arrived
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- tel.Close(ctx) }()
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Fatal("Close hangs with the collector")
	}
	if err := tel.Close(context.Background()); err != nil {
		t.Errorf("a second Close: %v", err)
	}
	one(tel, 1) // the last moments of a daemon may come after Close
}

func TestWhereSpansGo(t *testing.T) {
	for name, c := range map[string]struct {
		endpoint string
		vars     map[string]string
		want     string // the path; empty: off
	}{
		"nothing is said":            {},
		"a setting":                  {endpoint: "HOST", want: "/v1/traces"},
		"a setting with the path":    {endpoint: "HOST/v1/traces", want: "/v1/traces"},
		"without a scheme":           {endpoint: "BARE", want: "/v1/traces"},
		"the general variable":       {vars: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "HOST"}, want: "/v1/traces"},
		"that of traces is complete": {vars: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "HOST/x"}, want: "/x"},
		"a setting that repeats the general variable": {endpoint: "HOST/a",
			vars: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "HOST/a", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "HOST/b"}, want: "/b"},
		"a setting against the variables": {endpoint: "HOST/a", vars: map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "HOST/b"}, want: "/a/v1/traces"},
		"the SDK is disabled":             {endpoint: "HOST", vars: map[string]string{"OTEL_SDK_DISABLED": "true"}},
		"no exporter is wanted":           {vars: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "HOST", "OTEL_TRACES_EXPORTER": "none"}},
	} {
		t.Run(name, func(t *testing.T) {
			col := newCollector(t)
			fill := strings.NewReplacer("HOST", col.URL, "BARE", strings.TrimPrefix(col.URL, "http://")).Replace
			tel := start(t, telemetry.Config{Endpoint: fill(c.endpoint), Getenv: func(k string) string { return fill(c.vars[k]) }})
			if tel.Tracing() != (c.want != "") {
				t.Fatalf("traces are on: %v", tel.Tracing())
			}
			one(tel, 1)
			closeNow(t, tel)
			if got := strings.Join(col.paths, " "); got != c.want {
				t.Errorf("it was sent to %q, want %q", got, c.want)
			}
		})
	}
}

func TestAnAddressThatIsNone(t *testing.T) {
	for _, bad := range []string{"ftp://host", "http://", "http://user:secret@%zz", "://"} {
		_, err := telemetry.New(telemetry.Config{Endpoint: bad, Getenv: vars(nil)})
		if err == nil || !strings.Contains(err.Error(), "otlp-endpoint") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	_, err := telemetry.New(telemetry.Config{Endpoint: "http://h", Getenv: vars(map[string]string{"OTEL_EXPORTER_OTLP_CERTIFICATE": "no-such-file"})})
	if err == nil {
		t.Error("a certificate that is not there is no error")
	}
}

func TestGRPCIsSaid(t *testing.T) {
	c := newCollector(t)
	var log logs
	start(t, telemetry.Config{Endpoint: c.URL, Logger: log.logger(), Getenv: vars(map[string]string{"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"})})
	if !strings.Contains(log.text(), "4318") {
		t.Errorf("the log says %q", log.text())
	}
}
