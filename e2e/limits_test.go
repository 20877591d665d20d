//go:build linux

package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// At the cap of active processes a create and a run are refused, and make
// nothing.
func TestMaxActive(t *testing.T) {
	t.Parallel()
	d := start(t, "--max-active", "2")
	idle := d.fake(t, "", m{"autorun": false}).id()
	first := d.inState(t, "running")
	d.inState(t, "running")
	before := len(d.ids(t, ""))
	for _, a := range []answer{d.post(t, "/processes", m{"code": ""}), d.post(t, path(idle, "/signals/run"), nil), d.post(t, "/mci/processes", m{"code": ""})} {
		a.want(t, 429, "too_many_processes")
		if n, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || n < 1 {
			t.Errorf("%s: Retry-After %q", a.path, a.header.Get("Retry-After"))
		}
	}
	d.fake(t, "", m{"autorun": false}) // an idle one is not active
	if after := len(d.ids(t, "")); after != before+1 {
		t.Errorf("%d processes, then %d", before, after)
	}
	d.kill(t, first, block)
	d.fake(t, "", block).wantEnd(t, "success")
	d.post(t, path(idle, "/signals/run"), block).want(t, 200)
}

// A body over the limit is refused whatever it is, told or streamed.
func TestMaxBody(t *testing.T) {
	t.Parallel()
	d := start(t, "--max-body", "10000")
	fits := m{"code": "# " + strings.Repeat("x", 9000)}
	d.post(t, "/processes", fits).want(t, 201)
	for _, path := range []string{"/processes", "/mci/processes", "/processes/1/signals/kill"} {
		d.post(t, path, m{"code": "# " + strings.Repeat("x", 11000)}).want(t, 413, "too_large")
		d.post(t, path, strings.Repeat(" ", 20000)+`{"code":""}`).want(t, 413, "too_large")
	}
	req, err := http.NewRequest("POST", "http://"+d.addr+"/processes", io.MultiReader(strings.NewReader(`{"code":"`), strings.NewReader(strings.Repeat("x", 1<<20)), strings.NewReader(`"}`)))
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = -1 // chunked
	resp, err := d.tcp.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 413 {
		t.Errorf("a chunked body over the limit: %d", resp.StatusCode)
	}
	if got := d.ids(t, ""); len(got) != 1 {
		t.Errorf("refused bodies made processes: %v", got)
	}
}

// Headers that are huge are refused; other clients do not notice.
func TestHugeHeaders(t *testing.T) {
	t.Parallel()
	d := shared(t)
	conn, err := net.Dial("tcp", d.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	fmt.Fprintf(conn, "GET /health HTTP/1.1\r\nHost: %s\r\n", d.addr)
	line := "X-Filler: " + strings.Repeat("x", 8000) + "\r\n"
	for range 1000 {
		if _, err := io.WriteString(conn, line); err != nil {
			break // refused and closed
		}
	}
	_, _ = io.WriteString(conn, "\r\n")
	status, err := bufio.NewReader(conn).ReadString('\n')
	if err == nil && !strings.Contains(status, " 431 ") {
		t.Errorf("8 MB of headers: %q", status)
	}
	d.get(t, "/health").want(t, 200)
}

// A client that never finishes its request is given up, and holds up nobody.
func TestSlowHeaders(t *testing.T) {
	t.Parallel()
	d := shared(t)
	conn, err := net.Dial("tcp", d.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(conn, "GET /health HTTP/1.1\r\nHost: loc"); err != nil {
		t.Fatal(err)
	}
	d.get(t, "/health").want(t, 200)
	if _, err := io.ReadAll(conn); err != nil {
		t.Errorf("half a request is still held after %v: %v", patience, err)
	}
}

// What is not HTTP at all does no harm.
func TestGarbage(t *testing.T) {
	t.Parallel()
	d := shared(t)
	for _, text := range []string{"\x00\x01\x02\r\n\r\n", "GET\r\n\r\n", "GET /processes HTTP/1.1\r\n\r\n", "GET /processes/%zz HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"POST /processes HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n", "POST /processes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n"} {
		conn, err := net.Dial("tcp", d.addr)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(patience))
		_, _ = io.WriteString(conn, text)
		if status, _ := bufio.NewReader(conn).ReadString('\n'); !strings.Contains(status, " 4") {
			t.Errorf("%q: %q", text, status)
		}
		conn.Close()
	}
	d.get(t, "/health").want(t, 200)
}
