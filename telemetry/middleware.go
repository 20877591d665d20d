package telemetry

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// unmatched is the route of requests no pattern took.
const unmatched = "unmatched"

// Middleware counts and times the requests to next, and makes a span for each
// one when traces are on; the span is in the request's context and continues
// the trace the client's traceparent names.
//
// The route is the pattern by which the standard mux chose its handler, so
// between this middleware and the mux nobody may copy the request.
func (t *T) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		t.metrics.inFlight.Inc()
		defer t.metrics.inFlight.Dec()
		rec := &recorder{under: w, streams: t.metrics.streams}
		var span requestSpan
		if t.tracing != nil && !isProbe(r.URL.Path) {
			r, span = t.tracing.request(r)
		}
		returned := false
		defer func() { // also when the handler panics, which the server answers by cutting the connection
			status := rec.finalStatus(returned)
			route, method := routeOf(r.Pattern), methodOf(r.Method)
			t.metrics.requests.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
			if rec.end() == "" {
				t.metrics.latency.WithLabelValues(route, method).Observe(time.Since(begin).Seconds())
			}
			span.end(r, route, method, status, w.Header())
		}()
		next.ServeHTTP(rec, r)
		returned = true
	})
}

// isProbe tells what machines ask every few seconds, which nobody wants in a
// trace.
func isProbe(path string) bool {
	return path == "/health" || path == "/ready" || path == "/metrics"
}

// routeOf returns the path of a mux's pattern, without method and host.
func routeOf(pattern string) string {
	if i := strings.IndexByte(pattern, '/'); i >= 0 {
		return pattern[i:]
	}
	return unmatched
}

var knownMethods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
	http.MethodDelete, http.MethodConnect, http.MethodOptions, http.MethodTrace}

// methodOf keeps a client from making up labels.
func methodOf(method string) string {
	if slices.Contains(knownMethods, method) {
		return method
	}
	return "_OTHER"
}
