package telemetry

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/trace"
)

// Config says what is told and to whom. The zero Config gives metrics and no
// traces, unless the environment names a collector.
type Config struct {
	// Version of the program, for build information and traces.
	Version string
	// Endpoint is the collector's base address, such as
	// http://127.0.0.1:4318. It wins over the OTEL_… variables; empty: what
	// they say, and no traces where they say nothing.
	Endpoint string
	// Getenv reads the OTEL_… variables. Default: os.Getenv.
	Getenv func(string) string
	// BatchDelay is how long a span may wait for others to be sent along.
	// Default: OTEL_BSP_SCHEDULE_DELAY, else 5 s.
	BatchDelay time.Duration
	// Logger is told when the collector cannot be reached, and when it can
	// again. Default: none.
	Logger *slog.Logger
}

// T collects. Its methods are safe for concurrent use.
type T struct {
	registry *prometheus.Registry
	metrics  *metrics
	log      *slog.Logger
	tracing  *tracing // nil: off
}

// New makes a T. A collector that does not answer is no error; an address that
// cannot be one is.
func New(cfg Config) (*T, error) {
	if cfg.Getenv == nil {
		cfg.Getenv = os.Getenv
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	target, err := findCollector(cfg)
	if err != nil {
		return nil, err
	}
	t := &T{registry: prometheus.NewRegistry(), log: cfg.Logger}
	t.metrics = newMetrics(t.registry, cfg.Version)
	if target != nil {
		t.tracing = startTracing(cfg, *target, t.metrics.spans)
	}
	return t, nil
}

// Tracing reports whether spans are made.
func (t *T) Tracing() bool { return t.tracing != nil }

// Handler serves the metrics in the text format of Prometheus, or in that of
// OpenMetrics to those who ask for it.
func (t *T) Handler() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{
		EnableOpenMetrics: true,
		ErrorLog:          slog.NewLogLogger(t.log.Handler(), slog.LevelWarn),
		ErrorHandling:     promhttp.ContinueOnError,
	})
}

// Close sends what spans are left, until ctx is over: what is not sent by then
// is dropped. It may be called again.
func (t *T) Close(ctx context.Context) error {
	if t.tracing == nil {
		return nil
	}
	return t.tracing.close(ctx)
}

// TraceID returns the trace a request's context belongs to, for log lines;
// empty if there is none.
func TraceID(ctx context.Context) string {
	if sc := trace.SpanContextFromContext(ctx); sc.HasTraceID() {
		return sc.TraceID().String()
	}
	return ""
}
