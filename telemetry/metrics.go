package telemetry

import (
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/reeverun/reeve/process"
)

// metrics are the instruments, all registered.
type metrics struct {
	requests *prometheus.CounterVec   // route, method, status
	latency  *prometheus.HistogramVec // route, method
	inFlight prometheus.Gauge
	streams  *prometheus.GaugeVec // kind

	created  *prometheus.CounterVec   // environment
	started  *prometheus.CounterVec   // environment
	finished *prometheus.CounterVec   // environment, exit_state
	stalled  *prometheus.CounterVec   // environment
	duration *prometheus.HistogramVec // environment

	spans *prometheus.CounterVec // result
}

// Requests are answered in a millisecond or wait for a process; runs last from
// a millisecond to a day.
var (
	requestSeconds = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}
	runSeconds     = []float64{.005, .01, .05, .1, .5, 1, 5, 15, 60, 300, 900, 3600, 14400, 86400}
)

func newMetrics(r prometheus.Registerer, version string) *metrics {
	m := &metrics{
		requests: counter("http_requests_total", "HTTP requests answered.", "route", "method", "status"),
		latency: histogram("http_request_duration_seconds",
			"Time to answer an HTTP request, streams left out. Requests that wait for a process take as long as it does.",
			requestSeconds, "route", "method"),
		inFlight: prometheus.NewGauge(opts("http_requests_in_flight", "HTTP requests being answered, streams included.")),
		streams:  gauge("http_open_streams", "Responses being streamed.", "kind"),
		created:  counter("processes_created_total", "Processes created.", "environment"),
		started:  counter("runs_started_total", "Runs that began to execute.", "environment"),
		finished: counter("runs_finished_total", "Runs that are over.", "environment", "exit_state"),
		stalled:  counter("runs_stalled_total", "Silences of runs that were longer than their heartbeat.", "environment"),
		duration: histogram("run_duration_seconds", "Execution time of finished runs, pauses left out.", runSeconds, "environment"),
		spans:    counter("trace_spans_total", "Spans handed to the trace collector, or given up.", "result"),
	}
	build := gauge("build_info", "Always 1; the labels say what runs.", "version", "go_version", "os", "arch")
	build.WithLabelValues(version, runtime.Version(), runtime.GOOS, runtime.GOARCH).Set(1)
	r.MustRegister(build, m.requests, m.latency, m.inFlight, m.streams,
		m.created, m.started, m.finished, m.stalled, m.duration, m.spans,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, kind := range []streamKind{eventStream, outputStream} { // a gauge that reads 0 is there
		m.streams.WithLabelValues(string(kind))
	}
	return m
}

func opts(name, help string) prometheus.GaugeOpts {
	return prometheus.GaugeOpts{Namespace: "reeve", Name: name, Help: help}
}

func gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	return prometheus.NewGaugeVec(opts(name, help), labels)
}

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts(opts(name, help)), labels)
}

func histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "reeve", Name: name, Help: help, Buckets: buckets}, labels)
}

// CountStates adds the gauge of processes by state. It asks count at each
// scrape; states that are missing in the answer are 0, and Idle is not shown,
// since finished processes are history. Call it once, when the runtime is open.
func (t *T) CountStates(count func() map[process.State]int) {
	t.registry.MustRegister(stateGauge{count, prometheus.NewDesc("reeve_processes",
		"Processes that are not idle, by state.", []string{"state"}, nil)})
}

// stateGauge reads the runtime when it is scraped, so it is right after a
// restart and for moments nobody announces.
type stateGauge struct {
	count func() map[process.State]int
	desc  *prometheus.Desc
}

// Describe implements [prometheus.Collector].
func (g stateGauge) Describe(ch chan<- *prometheus.Desc) { ch <- g.desc }

// Collect implements [prometheus.Collector].
func (g stateGauge) Collect(ch chan<- prometheus.Metric) {
	now := g.count()
	for _, s := range process.States() {
		if s != process.Idle {
			ch <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, float64(now[s]), string(s))
		}
	}
}
