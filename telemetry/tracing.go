package telemetry

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// scope names the instrumentation in every span.
const scope = "github.com/reeverun/reeve"

// tracing makes spans and sends them.
type tracing struct {
	provider *sdk.TracerProvider
	exporter *exporter
	tracer   trace.Tracer
	runs     *runSpans

	closing sync.Once
	err     error // of closing
}

func startTracing(cfg Config, c collector, spans *prometheus.CounterVec) *tracing {
	e := newExporter(c, cfg.Logger, spans)
	var batch []sdk.BatchSpanProcessorOption
	if cfg.BatchDelay > 0 {
		batch = append(batch, sdk.WithBatchTimeout(cfg.BatchDelay))
	}
	p := sdk.NewTracerProvider(sdk.WithBatcher(e, batch...), sdk.WithResource(resourceOf(cfg)))
	tracer := p.Tracer(scope, trace.WithInstrumentationVersion(cfg.Version))
	return &tracing{provider: p, exporter: e, tracer: tracer, runs: newRunSpans(tracer)}
}

// resourceOf says which program the spans are of.
func resourceOf(cfg Config) *resource.Resource {
	given := parsePairs(cfg.Getenv("OTEL_RESOURCE_ATTRIBUTES"))
	name := cmp.Or(cfg.Getenv("OTEL_SERVICE_NAME"), given["service.name"], "reeve")
	attrs := []attribute.KeyValue{attribute.String("service.version", cfg.Version)}
	for k, v := range given {
		attrs = append(attrs, attribute.String(k, v))
	}
	attrs = append(attrs, attribute.String("service.name", name), attribute.String("telemetry.sdk.name", "opentelemetry"),
		attribute.String("telemetry.sdk.language", "go")) // of equal keys the last one counts
	return resource.NewSchemaless(attrs...)
}

// close sends what is left. When ctx is over the exporter gives up at once, so
// that the queue's goroutine ends and nothing is left behind.
func (t *tracing) close(ctx context.Context) error {
	t.closing.Do(func() {
		t.runs.drop()
		defer context.AfterFunc(ctx, t.exporter.abort)()
		t.err = t.provider.Shutdown(context.WithoutCancel(ctx))
	})
	return t.err
}

// requestSpan is the span of a request; the zero one is none.
type requestSpan struct {
	span  trace.Span
	begin time.Time
	runs  *runSpans
}

// request starts a request's span, as a child of the client's if it names one.
func (t *tracing) request(r *http.Request) (*http.Request, requestSpan) {
	ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, span := t.tracer.Start(ctx, methodOf(r.Method), trace.WithSpanKind(trace.SpanKindServer))
	return r.WithContext(ctx), requestSpan{span, time.Now(), t.runs}
}

// end names the span after its route. The query is left out: it is the
// client's, and may hold what it wants to keep to itself.
func (s requestSpan) end(r *http.Request, route, method string, status int, answer http.Header) {
	if s.span == nil {
		return
	}
	defer s.span.End()
	if !s.span.IsRecording() {
		return
	}
	if route != unmatched {
		s.span.SetName(method + " " + route)
		s.span.SetAttributes(attribute.String("http.route", route))
	}
	s.span.SetAttributes(attribute.String("http.request.method", method),
		attribute.String("url.path", r.URL.Path), attribute.Int("http.response.status_code", status))
	if status >= http.StatusInternalServerError {
		s.span.SetStatus(codes.Error, http.StatusText(status))
	}
	if id, ok := processOf(r, answer); ok {
		s.span.SetAttributes(attribute.Int64("reeve.process.id", int64(id)))
		done := status < http.StatusBadRequest || status == http.StatusGatewayTimeout // it was made, and goes on
		if done && method == http.MethodPost {
			s.runs.join(s.span, s.begin, id)
		}
	}
}
