package server

// Tests of a hostile review: each of them states what should hold and proved,
// when it was written, that it does not. The comment says what goes wrong.

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/env/envfake"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
)

// hostilePatience is how long anything may take that is waited for.
const hostilePatience = 10 * time.Second

// target is a server under attack.
type target struct {
	*Server
	rt   *reeve.Runtime
	fake *envfake.Env
	http *httptest.Server
}

func attack(t *testing.T, cfg reeve.Config, sc Config, wrap func(net.Conn) net.Conn) *target {
	t.Helper()
	a := &target{fake: new(envfake.Env)}
	cfg.Environments = map[string]reeve.Environment{"typescript": a.fake}
	var err error
	if a.rt, err = reeve.Open(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.rt.Close() })
	sc.Runtime = a.rt
	if a.Server, err = New(sc); err != nil {
		t.Fatal(err)
	}
	a.http = httptest.NewUnstartedServer(a.Handler(TCP))
	if wrap != nil {
		a.http.Listener = &wrappingListener{a.http.Listener, wrap}
	}
	a.http.Start()
	t.Cleanup(func() {
		a.rt.Stop()
		done := make(chan struct{})
		go func() { defer close(done); a.Stop() }()
		select {
		case <-done:
		case <-time.After(hostilePatience):
			t.Error("Stop hangs")
		}
		a.http.CloseClientConnections()
		a.http.Close()
	})
	return a
}

type wrappingListener struct {
	net.Listener
	wrap func(net.Conn) net.Conn
}

func (l *wrappingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.wrap(c), nil
}

func (a *target) spawn(t *testing.T, script string) process.ID {
	t.Helper()
	h, err := a.rt.Spawn(t.Context(), reeve.FromSpec(process.Spec{Environment: "typescript", Code: script}))
	if err != nil {
		t.Fatal(err)
	}
	return h.ID()
}

func (a *target) running(t *testing.T, script string) process.ID {
	t.Helper()
	id := a.spawn(t, script)
	soon(t, "the process runs", func() bool {
		p, err := a.rt.Process(t.Context(), id)
		return err == nil && p.State == process.Running
	})
	return id
}

func (a *target) dial(t *testing.T) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", a.http.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(hostilePatience))
	return c
}

func (a *target) get(t *testing.T, path string, headers ...string) (*http.Response, string, error) {
	t.Helper()
	return a.send(t, "GET", path, "", headers...)
}

func (a *target) send(t *testing.T, method, path, body string, headers ...string) (*http.Response, string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hostilePatience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, a.http.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := a.http.Client().Do(req)
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return res, string(b), err
}

func soon(t *testing.T, what string, cond func() bool) {
	t.Helper()
	if !within(hostilePatience, cond) {
		t.Fatalf("it never came to pass that %s", what)
	}
}

func within(d time.Duration, cond func() bool) bool {
	for giveUp := time.Now().Add(d); !cond(); {
		if time.Now().After(giveUp) {
			return false
		}
		time.Sleep(2 * time.Millisecond)
	}
	return true
}

// deadlines is a connection that knows its write deadline.
type deadlines struct {
	net.Conn
	mu    sync.Mutex
	write time.Time
	set   func(time.Time) time.Time // changes a deadline before it is set; may wait
	shut  func()                    // called by Close; may be nil
}

func (d *deadlines) Close() error {
	if d.shut != nil {
		d.shut()
	}
	return d.Conn.Close()
}

func (d *deadlines) SetWriteDeadline(at time.Time) error {
	if d.set != nil {
		at = d.set(at)
	}
	d.mu.Lock()
	d.write = at
	d.mu.Unlock()
	return d.Conn.SetWriteDeadline(at)
}

func (d *deadlines) SetDeadline(at time.Time) error {
	_ = d.Conn.SetReadDeadline(at)
	return d.SetWriteDeadline(at)
}

func (d *deadlines) bounded() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.write.IsZero()
}

// A client that asks and does not read holds its slot, and no write of an
// ordinary answer has a deadline (only patient's have): MaxRequests such
// connections of one who may read, and the server answers 429 to everybody,
// probes of /health too, for as long as they like. server/request.go:79
// (answer), daemon/http.go:37 (no WriteTimeout).
func TestHostileUnreadAnswersDoNotHoldSlotsForEver(t *testing.T) {
	var conn *deadlines
	a := attack(t, reeve.Config{}, Config{MaxRequests: 1}, func(c net.Conn) net.Conn {
		d := &deadlines{Conn: c}
		if conn == nil {
			conn = d
		}
		return d
	})
	c := a.dial(t)
	go func() {
		for range 1000 { // until both buffers are full
			if _, err := io.WriteString(c, "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
				return
			}
		}
	}()
	// The slot is taken for good when it is seen taken many times in a row.
	stuck := 0
	soon(t, "the only slot is held by a client that does not read", func() bool {
		if len(a.slots) == 0 {
			stuck = 0
			return false
		}
		stuck++
		return stuck > 100
	})
	res, body, err := a.get(t, "/health")
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != 200 {
		t.Errorf("/health: %d %s", res.StatusCode, body)
	}
	if !conn.bounded() {
		t.Error("the answer that nobody reads has no write deadline: the slot is held for ever")
	}
}

// net/http looks for the client's end of a request whose body was not read to
// its end in no way: a follow of a silent process whose client announced a body
// and went stays, with its goroutine, descriptor and waiter (20 a slot), until
// the process writes. server/output.go:128 (follow), request.go:61 (wait).
// See also TestHostileUnsentBodyOfAGet in package daemon.
func TestHostileFollowWithAnUnsentBodyEndsWithItsClient(t *testing.T) {
	a := attack(t, reeve.Config{}, Config{}, nil)
	id := a.running(t, "hang")
	c := a.dial(t)
	fmt.Fprintf(c, "GET /processes/%d/stdout?follow=1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n", id)
	if _, err := bufio.NewReader(c).ReadString('\n'); err != nil { // the answer began
		t.Fatal(err)
	}
	if n := len(a.slots) + len(a.waiters); n != 0 {
		t.Errorf("a request whose body is not there yet holds %d places", n)
	}
	c.Close()
	a.http.Close() // returns when no request is left
	if n := len(a.slots) + len(a.waiters); n != 0 {
		t.Errorf("the client is gone, %d places are held", n)
	}
}

// HEAD has to answer with the header at once; it waits for the run's end.
func TestHostileHeadOfAFollowAnswersAtOnce(t *testing.T) {
	a := attack(t, reeve.Config{}, Config{}, nil)
	id := a.running(t, "out x\nhang")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, "HEAD", a.http.URL+"/processes/"+id.String()+"/stdout?follow=1", nil)
	res, err := a.http.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	// The client has its header; the server must be done with the request.
	if !within(2*time.Second, func() bool { return len(a.waiters) == 0 }) {
		t.Error("HEAD waits for the end of the run")
	}
}

// HEAD of an event stream takes the connection over and sends events as a body
// that an answer to HEAD must not have. server/stream.go:39 (streamEvents).
func TestHostileHeadOfEventsSendsNoBody(t *testing.T) {
	a := attack(t, reeve.Config{}, Config{}, nil)
	id := a.running(t, "out x\nhang")
	for _, path := range []string{"/processes/" + id.String() + "/events", "/events?after=0"} {
		c := a.dial(t)
		fmt.Fprintf(c, "HEAD %s HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n", path)
		r := bufio.NewReader(c)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if line == "\r\n" {
				break
			}
		}
		_ = c.SetReadDeadline(time.Now().Add(time.Second))
		if b, err := r.ReadByte(); err == nil {
			rest, _ := r.Peek(r.Buffered())
			t.Errorf("HEAD %s has a body: %q", path, string(b)+string(rest))
		}
		c.Close()
	}
}

// capped makes a process whose stdout has a hole.
func capped(t *testing.T) (a *target, id process.ID, size int64, hole rawlog.Span) {
	t.Helper()
	a = attack(t, reeve.Config{Dir: t.TempDir(), LogCap: 16 << 10}, Config{}, nil)
	h, err := a.rt.Spawn(t.Context(), reeve.Sh(`i=0; while [ $i -lt 4000 ]; do echo "line $i 0123456789012345678901234567890123456789"; i=$((i+1)); done; sleep 0.3; echo end`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.rt.Wait(t.Context(), h.ID()); err != nil {
		t.Fatal(err)
	}
	out, err := a.rt.OpenOutput(t.Context(), h.ID(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	holes := out.Holes(rawlog.Stdout)
	if len(holes) == 0 {
		t.Fatal("no hole")
	}
	return a, h.ID(), out.Size(rawlog.Stdout), holes[0]
}

// What is checked is not what is served: where net/http ignores the Range (a
// foreign If-Range, ranges that together are longer than the content) it sends
// the whole content through a reader that breaks at the hole: 200 with a
// Content-Length and half a body. server/output.go:100 (serveOutput).
func TestHostileRangesThatNetHTTPIgnoresOverAHole(t *testing.T) {
	a, id, size, hole := capped(t)
	head := strconv.FormatInt(hole.From-1, 10)
	many := "bytes=0-" + head
	for n := hole.From; n <= size; n += hole.From {
		many += ",0-" + head
	}
	for name, headers := range map[string][]string{
		"If-Range":  {"Range", "bytes=0-9", "If-Range", `"other"`},
		"many":      {"Range", many},
		"none, but": {"If-Range", `"other"`},
	} {
		res, body, err := a.get(t, "/processes/"+id.String()+"/stdout", headers...)
		if err != nil {
			t.Errorf("%s: the answer breaks: %v after %d bytes", name, err, len(body))
			continue
		}
		if res.StatusCode == 200 && !strings.Contains(body, "bytes dropped]") {
			t.Errorf("%s: 200 without the marker, %d bytes", name, len(body))
		}
	}
}

// Errors are always {"error","code"}, also those of conditional requests.
func TestHostileConditionalRequests(t *testing.T) {
	a := attack(t, reeve.Config{}, Config{}, nil)
	id := a.spawn(t, "out x")
	if _, err := a.rt.Wait(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	res, body, err := a.get(t, "/processes/"+id.String()+"/stdout", "If-Match", `"x"`)
	if err != nil {
		t.Fatal(err)
	}
	var e map[string]any
	if res.StatusCode >= 400 && json.Unmarshal([]byte(body), &e) != nil {
		t.Errorf("%d %q", res.StatusCode, body)
	}
}

// A stream that was about to send when the server stops sets its deadline
// anew, ten minutes from now, after Stop had set it to now: with a client that
// does not read, Stop (and the daemon, whatever signals come) hangs as long.
// server/stream.go:111 (send and unhook).
func TestHostileStopWithAClientThatDoesNotRead(t *testing.T) {
	var once, met sync.Once
	sending, expired := make(chan struct{}), make(chan struct{})
	armed := make(chan struct{})
	a := attack(t, reeve.Config{}, Config{}, func(c net.Conn) net.Conn {
		_ = c.(*net.TCPConn).SetWriteBuffer(4 << 10)
		end := func() { met.Do(func() { close(expired) }) }
		return &deadlines{Conn: c, shut: end, set: func(at time.Time) time.Time {
			select {
			case <-armed:
			default:
				return at
			}
			if time.Until(at) > time.Minute { // a send begins
				once.Do(func() {
					close(sending)
					<-expired
				})
			} else if !at.IsZero() { // Stop says that writes end now
				end()
			}
			return at
		}}
	})
	id := a.running(t, "gate go\n"+strings.Repeat("out "+strings.Repeat("x", 60<<10)+"\n", 200)+"hang")
	c := a.dial(t)
	_ = c.(*net.TCPConn).SetReadBuffer(4 << 10)
	fmt.Fprintf(c, "GET /processes/%d/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n", id)
	for r := bufio.NewReader(c); ; {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(line, "process_started") {
			break
		}
	}
	close(armed)
	sub, err := a.rt.SubscribeProcess(t.Context(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	a.fake.Open("go")
	<-sending
	for n := 0; n < 200; { // so that there is more to send than any buffer holds
		ev, err := sub.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if ev.Kind == process.KindOutputAppended && !ev.Live() {
			n++
		}
	}
	stopped := make(chan struct{})
	go func() { defer close(stopped); a.Stop() }()
	select {
	case <-stopped:
	case <-time.After(3 * time.Second):
		t.Error("Stop waits for a client that does not read")
		c.Close()
		<-stopped
	}
}

// A wait of more milliseconds than a time.Duration holds is over at once.
// server/request.go:119 (millis); the same as for timeouts would do.
func TestHostileWaitThatOverflows(t *testing.T) {
	a := attack(t, reeve.Config{}, Config{}, nil)
	for _, wait := range []string{"9223372036855", "18446744073710", "9223372036854775807"} {
		done := make(chan string, 1)
		gate := "gate " + wait
		go func() {
			res, body, err := a.send(t, "POST", "/processes?wait="+wait, `{"code":"`+gate+`","block":true}`)
			if err != nil {
				done <- err.Error()
				return
			}
			done <- fmt.Sprint(res.StatusCode, " ", body)
		}()
		select {
		case got := <-done:
			if !strings.HasPrefix(got, "400") {
				t.Errorf("wait=%s: %.120s", wait, got)
			}
		case <-time.After(300 * time.Millisecond): // it waits
			a.fake.Open(wait)
			<-done
		}
		a.fake.Open(wait)
	}
}

// A list reads all it may have to show, asked for or not, and answers from one
// buffer: a client makes the server allocate limit times the size of a code.
// server/inspect.go:64 (list), store/sqlite/list.go (specs are read whole).
func TestHostileListDoesNotReadWhatItDoesNotShow(t *testing.T) {
	a := attack(t, reeve.Config{Dir: t.TempDir()}, Config{}, nil)
	code := "# " + strings.Repeat("x", 4<<20)
	for range 8 {
		if _, err := a.rt.Spawn(t.Context(), reeve.FromSpec(process.Spec{Environment: "typescript", Code: code}).Parked()); err != nil {
			t.Fatal(err)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	res, body, err := a.get(t, "/processes?limit=1000")
	runtime.ReadMemStats(&after)
	if err != nil || res.StatusCode != 200 {
		t.Fatal(res, err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 16<<20 {
		t.Errorf("%d KiB of answer took %d MiB of memory for 8 processes of 4 MiB; a page may have 1000 of 32 MiB", len(body)>>10, got>>20)
	}
}

// A tree is as deep as clients make it, and encoding/json reads no more than
// 10000 levels: Reeve's own client cannot read it. server/inspect.go:195 (grow).
func TestHostileDeepTree(t *testing.T) {
	a := attack(t, reeve.Config{}, Config{}, nil)
	var parent process.ID
	for range 10_050 {
		h, err := a.rt.Spawn(t.Context(), reeve.FromSpec(process.Spec{Environment: "typescript", Parent: parent}).Parked())
		if err != nil {
			t.Fatal(err)
		}
		parent = h.ID()
	}
	res, body, err := a.get(t, "/processes/1/tree")
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		t.Errorf("%d, %d bytes: %v", res.StatusCode, len(body), err)
	}
}

// The last chunk of a follow is written with the deadline of its last flush:
// after ten quiet minutes (here: a moment) the end of the run looks like a
// broken connection. server/output.go:128 (follow), 180 (grant).
func TestHostileFollowOfAQuietRunEndsCleanly(t *testing.T) {
	var mu sync.Mutex
	var last time.Time
	a := attack(t, reeve.Config{}, Config{}, func(c net.Conn) net.Conn {
		return &deadlines{Conn: c, set: func(at time.Time) time.Time {
			if time.Until(at) > time.Minute {
				at = at.Add(50*time.Millisecond - stalledAfter) // the ten minutes, in short
				mu.Lock()
				last = at
				mu.Unlock()
			}
			return at
		}}
	})
	for i := range 20 {
		gate := fmt.Sprint("go", i)
		id := a.running(t, "gate "+gate)
		c := a.dial(t)
		fmt.Fprintf(c, "GET /processes/%d/stdout?follow=1 HTTP/1.1\r\nHost: localhost\r\n\r\n", id)
		r := bufio.NewReader(c)
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		soon(t, "it waits", func() bool { return len(a.waiters) == 1 })
		time.Sleep(10 * time.Millisecond) // the follower is past its first flush
		soon(t, "the deadline is past", func() bool {
			mu.Lock()
			defer mu.Unlock()
			return time.Now().After(last)
		})
		a.fake.Open(gate)
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			t.Fatalf("run %d: the end of a quiet run: %v", i, err)
		}
		c.Close()
		soon(t, "it is over", func() bool { return len(a.waiters) == 0 })
	}
}

// A path that is not clean is an error, or the same thing: not HTML.
func TestHostilePaths(t *testing.T) {
	a := attack(t, reeve.Config{}, Config{}, nil)
	for _, line := range []string{"GET //processes", "POST //processes", "GET /processes/../processes", "GET /processes//1",
		"GET /./health", "GET /processes/1/", "GET /processes/%2e%2e/health", "GET /processes/1%2fcode", "GET /processes/%31", "GET /%70rocesses",
		"OPTIONS *", "CONNECT localhost:80", "GET http://localhost/processes", "BREW /processes", "GET /processes/١", "HEAD /processes/x", "GET /\xff"} {
		c := a.dial(t)
		fmt.Fprintf(c, "%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", line)
		method, _, _ := strings.Cut(line, " ")
		res, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		b, _ := io.ReadAll(res.Body)
		if res.StatusCode >= 300 && !json.Valid(b) && method != "HEAD" || res.StatusCode >= 500 {
			t.Errorf("%s: %d %s %q", line, res.StatusCode, res.Header.Get("Location"), bytes.TrimSpace(b))
		}
		c.Close()
	}
}
