// Package telemetry tells operators what the daemon does: metrics for
// Prometheus, and OpenTelemetry traces where a collector is configured.
//
// A [T] has its own registry and its own tracer; it changes nothing global. It
// learns of requests by its [T.Middleware] and of processes by [T.Created],
// [T.Started] and [T.Finished], which never block and keep nothing of the
// process they are given.
//
// Labels are few and bounded: routes are patterns, never paths; there is no
// process id, ref or tag in a metric. Those belong to traces and logs.
//
// Without a collector no span is made. With one, spans pass through a bounded
// queue to one goroutine that posts them; whatever is wrong with the collector,
// requests and processes do not wait for it: spans are dropped, and one line of
// the log says so. docs/observability.md lists every name.
package telemetry
