package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// How often a batch is tried again while the collector may recover.
const (
	retryFirst = 250 * time.Millisecond
	retryLast  = 4 * time.Second
)

// exporter posts spans as OTLP over HTTP in JSON. It is called by the one
// goroutine of the SDK's queue. Its errors end here: a collector that is away
// is told once, and once when it is back.
//
// The official exporter does the same by Protocol Buffers and links all of gRPC
// for it; see docs/observability.md for what that costs.
type exporter struct {
	collector
	client *http.Client
	log    *slog.Logger
	spans  *prometheus.CounterVec

	life  context.Context // of the exporter; over when it gives up
	abort context.CancelFunc
	down  bool // the last batch was not taken
	lost  int  // since then
}

func newExporter(c collector, log *slog.Logger, spans *prometheus.CounterVec) *exporter {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: c.tls,
		ForceAttemptHTTP2: true, MaxIdleConns: 1, IdleConnTimeout: 90 * time.Second}
	e := &exporter{collector: c, log: log, spans: spans, client: &http.Client{Transport: transport}}
	e.life, e.abort = context.WithCancel(context.Background())
	return e
}

// ExportSpans implements the SDK's exporter.
func (e *exporter) ExportSpans(ctx context.Context, batch []sdk.ReadOnlySpan) error {
	if len(batch) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	defer context.AfterFunc(e.life, cancel)()
	err := e.send(ctx, batch)
	e.report(len(batch), err)
	return nil
}

// Shutdown implements the SDK's exporter.
func (e *exporter) Shutdown(context.Context) error {
	e.abort()
	e.client.CloseIdleConnections()
	return nil
}

func (e *exporter) send(ctx context.Context, batch []sdk.ReadOnlySpan) error {
	body, err := e.encode(batch)
	if err != nil {
		return err
	}
	var before error // what the time ran out over
	for pause := retryFirst; ; pause = min(2*pause, retryLast) {
		wait, err := e.post(ctx, body)
		if err != nil && before != nil && ctx.Err() != nil {
			return before
		}
		before = err
		// One that was away is tried once for each batch, so that the queue
		// moves on and a shutdown is short.
		if err == nil || wait < 0 || e.down || !sleep(ctx, max(pause, wait)) {
			return err
		}
	}
}

func (e *exporter) encode(batch []sdk.ReadOnlySpan) ([]byte, error) {
	body, err := json.Marshal(toOTLP(batch))
	if err != nil || !e.gzip {
		return body, err
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err = w.Write(body)
	err = errors.Join(err, w.Close())
	return packed.Bytes(), err
}

// post tries once. Where a failure may pass it also says how long the collector
// wants to be left alone, and where it will not, -1.
func (e *exporter) post(ctx context.Context, body []byte) (time.Duration, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return -1, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "reeve")
	if e.gzip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	for k, v := range e.headers {
		req.Header.Set(k, v)
	}
	resp, err := e.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // so that the connection can be used again
	switch resp.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return 0, nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		return time.Duration(max(seconds, 0)) * time.Second, fmt.Errorf("it answered %s", resp.Status)
	}
	return -1, fmt.Errorf("it answered %s", resp.Status)
}

// report counts a batch and logs when things turn.
func (e *exporter) report(n int, err error) {
	if err == nil {
		e.spans.WithLabelValues("exported").Add(float64(n))
		if e.down {
			e.log.Info("the trace collector takes spans again", "collector", redactURL(e.url), "lost", e.lost)
		}
		e.down, e.lost = false, 0
		return
	}
	e.spans.WithLabelValues("failed").Add(float64(n))
	e.lost += n
	if !e.down {
		e.log.Warn("the trace collector takes no spans; they are dropped until it does, and nothing else suffers",
			"collector", redactURL(e.url), "error", plain(err))
	}
	e.down = true
}

// plain leaves out the address an HTTP client's error repeats: it may hold a
// password.
func plain(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return err.Error()
}

// sleep reports whether it slept its time.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
