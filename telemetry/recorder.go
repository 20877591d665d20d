package telemetry

import (
	"bufio"
	"io"
	"mime"
	"net"
	"net/http"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// streamKind says what a streamed response carries.
type streamKind string

// The kinds of stream.
const (
	eventStream  streamKind = "events"
	outputStream streamKind = "output"
)

// recorder notes the status of a response, and whether it is a stream: an event
// stream says so in its type, any other by being flushed before its end. The
// powers of the writer below it stay reachable, directly or by
// http.ResponseController.
type recorder struct {
	under  http.ResponseWriter
	status int // 0: nothing written yet
	stream streamKind
	// detached says that the stream goes on after the handler
	detached bool
	streams  *prometheus.GaugeVec
}

// Header implements [http.ResponseWriter].
func (w *recorder) Header() http.Header { return w.under.Header() }

// WriteHeader implements [http.ResponseWriter]. Informational answers precede
// the one that counts.
func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		w.begin(status)
	}
	w.under.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (w *recorder) Write(b []byte) (int, error) {
	w.begin(http.StatusOK)
	return w.under.Write(b)
}

// WriteString spares a copy where the writer below can.
func (w *recorder) WriteString(s string) (int, error) {
	w.begin(http.StatusOK)
	return io.WriteString(w.under, s)
}

// ReadFrom keeps sendfile working.
func (w *recorder) ReadFrom(src io.Reader) (int64, error) {
	w.begin(http.StatusOK)
	if f, ok := w.under.(io.ReaderFrom); ok {
		return f.ReadFrom(src)
	}
	return io.Copy(struct{ io.Writer }{w.under}, src)
}

// Flush implements [http.Flusher].
func (w *recorder) Flush() { _ = w.FlushError() }

// FlushError is what http.ResponseController looks for.
func (w *recorder) FlushError() error {
	w.begin(http.StatusOK)
	if w.stream == "" {
		w.open(outputStream)
	}
	return http.NewResponseController(w.under).Flush()
}

// Hijack implements [http.Hijacker].
func (w *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(w.under).Hijack()
	if err != nil || w.status != 0 {
		return conn, rw, err
	}
	if w.begin(http.StatusOK); w.stream == "" {
		w.status = http.StatusSwitchingProtocols
		return conn, rw, nil
	}
	w.detached = true
	open := w.streams.WithLabelValues(string(w.stream))
	return &streamConn{Conn: conn, ended: sync.OnceFunc(open.Dec)}, rw, nil
}

// streamConn is the connection of a stream that goes on after its handler.
type streamConn struct {
	net.Conn
	ended func()
}

// Close ends the stream.
func (c *streamConn) Close() error {
	c.ended()
	return c.Conn.Close()
}

// Unwrap lets http.ResponseController reach the writer below.
func (w *recorder) Unwrap() http.ResponseWriter { return w.under }

func (w *recorder) begin(status int) {
	if w.status != 0 {
		return
	}
	w.status = status
	if kind, _, _ := mime.ParseMediaType(w.under.Header().Get("Content-Type")); kind == "text/event-stream" {
		w.open(eventStream)
	}
}

func (w *recorder) open(kind streamKind) {
	w.stream = kind
	w.streams.WithLabelValues(string(kind)).Inc()
}

// end closes the stream, if it was one, and says which.
func (w *recorder) end() streamKind {
	if w.stream != "" && !w.detached {
		w.streams.WithLabelValues(string(w.stream)).Dec()
	}
	return w.stream
}

// finalStatus is what the client saw. A handler that writes nothing has
// answered 200, and one that panicked before it wrote anything has failed.
func (w *recorder) finalStatus(returned bool) int {
	switch {
	case w.status != 0:
		return w.status
	case returned:
		return http.StatusOK
	}
	return http.StatusInternalServerError
}
