package telemetry_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"go.uber.org/goleak"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/telemetry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds what should take no time at all.
const patience = 20 * time.Second

func start(t *testing.T, cfg telemetry.Config) *telemetry.T {
	t.Helper()
	if cfg.Getenv == nil {
		cfg.Getenv = func(string) string { return "" }
	}
	tel, err := telemetry.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeNow(t, tel) })
	return tel
}

func closeNow(t *testing.T, tel *telemetry.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := tel.Close(ctx); err != nil {
		t.Error(err)
	}
}

// serve answers over a real socket.
func serve(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func do(t *testing.T, method, url string, headers ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	tr := &http.Transport{DisableKeepAlives: true}
	resp, err := tr.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// call makes a request and reads its answer to the end.
func call(t *testing.T, method, url string, headers ...string) string {
	t.Helper()
	b, err := io.ReadAll(do(t, method, url, headers...).Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// scrape reads the metrics as Prometheus does, over a real socket.
func scrape(t *testing.T, tel *telemetry.T) map[string]*dto.MetricFamily {
	t.Helper()
	text := call(t, http.MethodGet, serve(t, tel.Handler()).URL)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewBufferString(text))
	if err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	return families
}

// value returns a counter, a gauge, or a histogram's count, by its labels in
// pairs; -1 if there is none.
func value(families map[string]*dto.MetricFamily, name string, labels ...string) float64 {
	for _, m := range families[name].GetMetric() {
		if !labelled(m, labels) {
			continue
		}
		switch {
		case m.Counter != nil:
			return m.Counter.GetValue()
		case m.Gauge != nil:
			return m.Gauge.GetValue()
		case m.Histogram != nil:
			return float64(m.Histogram.GetSampleCount())
		}
	}
	return -1
}

func labelled(m *dto.Metric, want []string) bool {
	got := map[string]string{}
	for _, l := range m.GetLabel() {
		got[l.GetName()] = l.GetValue()
	}
	for i := 0; i < len(want); i += 2 {
		if got[want[i]] != want[i+1] {
			return false
		}
	}
	return len(got) == len(want)/2
}

// eventually waits for a condition nobody announces.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

// logs is a logger whose lines can be read.
type logs struct {
	mu    sync.Mutex
	lines [][]byte
}

func (l *logs) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, bytes.Clone(b))
	return len(b), nil
}

func (l *logs) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(bytes.Join(l.lines, nil))
}

func (l *logs) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.lines)
}

func (l *logs) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

var birth = time.Date(2026, 6, 24, 12, 0, 0, 0, time.UTC)

// queued is a process as its creation is told.
func queued(id process.ID) *process.Process {
	p := &process.Process{ID: id, State: process.Queued, CreatedAt: birth}
	p.Environment, p.Number = process.EnvCommand, 1
	return p
}

func running(p *process.Process) *process.Process {
	q := p.Clone()
	q.State, q.StartedAt = process.Running, birth.Add(time.Second)
	return q
}

func finished(p *process.Process, s process.ExitState, o process.Outcome) *process.Process {
	q := p.Clone()
	q.State, q.ExitState, q.Outcome = process.Idle, s, &o
	q.CompletedAt = birth.Add(3 * time.Second)
	q.Usage.WallMS = 2000
	return q
}
