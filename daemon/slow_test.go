package daemon

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return c
}

// A header that never ends costs a connection for a while, not for ever.
func TestSlowHeaderIsCut(t *testing.T) {
	f := prepare(t)
	f.l.header = 50 * time.Millisecond
	f.start()
	c := dial(t, f.addr)
	fmt.Fprintf(c, "GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
	if b, err := io.ReadAll(c); err != nil || strings.HasPrefix(string(b), "HTTP/1.1 200") {
		t.Errorf("got %q, %v", b, err)
	}
}

func TestHugeHeaderIsRefused(t *testing.T) {
	f := prepare(t).start()
	c := dial(t, f.addr)
	go fmt.Fprintf(c, "GET /health HTTP/1.1\r\nHost: localhost\r\nX-Huge: %s\r\n\r\n", strings.Repeat("x", 1<<20))
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil || resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("%v, %v", resp, err)
	}
}

func TestIdleConnectionIsCut(t *testing.T) {
	f := prepare(t)
	f.l.idle = 50 * time.Millisecond
	f.start()
	c := dial(t, f.addr)
	fmt.Fprintf(c, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
	b, err := io.ReadAll(c) // to the end of the connection
	if err != nil || !strings.HasPrefix(string(b), "HTTP/1.1 200") {
		t.Errorf("got %q, %v", b, err)
	}
}

// A body that is not sent ends its request, whoever reads it: the handler, or,
// when that has answered already, the server.
func TestSlowBodyIsCut(t *testing.T) {
	f := prepare(t)
	f.l.body = 50 * time.Millisecond
	f.start()
	for _, path := range []string{"/processes", "/no/such/route"} {
		c := dial(t, f.addr)
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{", path)
		b, err := io.ReadAll(c)
		if err != nil || !strings.HasPrefix(string(b), "HTTP/1.1 4") {
			t.Errorf("%s: got %q, %v", path, b, err)
		}
	}
}

// paced serves a handler behind pacedBodies.
func paced(t *testing.T, within time.Duration, rate int64, h http.HandlerFunc) *httptest.Server {
	s := httptest.NewServer(pacedBodies(h, within, rate))
	t.Cleanup(s.Close)
	return s
}

// The limit is on the body alone: an answer that takes longer is not cut, nor
// is its context.
func TestSlowAnswerIsNotCut(t *testing.T) {
	const within = 20 * time.Millisecond
	s := paced(t, within, 1<<20, func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			t.Error(err)
		}
		select {
		case <-r.Context().Done():
			t.Error("the request was cut")
		case <-time.After(5 * within):
			io.WriteString(w, "done")
		}
	})
	resp, err := s.Client().Post(s.URL, "text/plain", strings.NewReader("a body"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if b, err := io.ReadAll(resp.Body); string(b) != "done" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}

// A large body on a slow line is no attack: what has arrived earns time.
func TestSteadyBodyIsNotCut(t *testing.T) {
	const within, pieces = 60 * time.Millisecond, 20
	s := paced(t, within, 50, func(w http.ResponseWriter, r *http.Request) { // a piece of 10 bytes earns 200 ms
		n, err := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, n, err)
	})
	body, feed := io.Pipe()
	go func() {
		for range pieces {
			time.Sleep(within / 10)
			io.WriteString(feed, "0123456789")
		}
		feed.Close()
	}()
	resp, err := s.Client().Post(s.URL, "text/plain", body)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if b, _ := io.ReadAll(resp.Body); string(b) != "200 <nil>" {
		t.Errorf("%q", b)
	}
}
