package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
)

// eventServer replays 20 events and cuts each connection after a few bytes more
// than the one before, in the middle of whatever is being sent.
func eventServer(t *testing.T, step int) (*client.Client, *atomic.Int32) {
	var connections atomic.Int32
	return fake(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
			record(w, process.Running)
			return
		}
		after, _ := strconv.Atoi(r.URL.Query().Get("after"))
		text := "retry: 1000\n\n: heartbeat\n\n"
		for seq := after + 1; seq < 20; seq++ {
			text += line(seq, "x")
		}
		text += finalized(20)
		if size := int(connections.Add(1)) * step; size < len(text) {
			io.WriteString(w, text[:size])
			w.(http.Flusher).Flush()
			cut()
		}
		io.WriteString(w, text)
	}), &connections
}

func TestEventsWithoutGapOrRepeat(t *testing.T) {
	for _, step := range []int{97, 250, 401, 100_000} {
		c, connections := eventServer(t, step)
		got := seqs(t, c.Events(testContext(t), 1, 0))
		want := make([]int64, 20)
		for i := range want {
			want[i] = int64(i + 1)
		}
		if !slices.Equal(got, want) {
			t.Errorf("step %d: %v", step, got)
		}
		if n := connections.Load(); step < 1000 && n < 3 {
			t.Errorf("step %d: %d connections: nothing was cut", step, n)
		}
	}
}

// A daemon that stops ends its streams in good order: that is not the end.
func TestEventsGoOnAfterAnOrderlyStop(t *testing.T) {
	var connections atomic.Int32
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/processes/1":
			record(w, process.Running)
		case connections.Add(1) == 1:
			io.WriteString(w, line(1, "a"))
		default:
			io.WriteString(w, line(1, "a")+line(2, "b")+finalized(3))
		}
	})
	if got := seqs(t, c.Events(testContext(t), 1, 0)); !slices.Equal(got, []int64{1, 2, 3}) {
		t.Errorf("%v", got)
	}
}

// Nothing came, because everything was known: the process is over.
func TestEventsAfterTheEnd(t *testing.T) {
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/processes/1" {
			record(w, process.Idle)
		}
	})
	if got := seqs(t, c.Events(testContext(t), 1, 99)); got != nil {
		t.Errorf("%v", got)
	}
}

func TestEventsOfUnknownProcess(t *testing.T) {
	c := fake(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(404)
		io.WriteString(w, `{"error":"no","code":"not_found"}`)
	})
	for _, err := range c.Events(testContext(t), 1, 0) {
		if !errors.Is(err, process.ErrNotFound) {
			t.Error(err)
		}
	}
}

// What a slow reader missed is fetched, in its place.
func TestLagIsFilled(t *testing.T) {
	const lagged = "data: {\"process\":1,\"run\":1,\"at\":\"2026-01-01T00:00:00Z\",\"kind\":\"lagged\",\"missed\":2}\n\n"
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("after") == "0" {
			io.WriteString(w, line(1, "a")+lagged+line(4, "d")+finalized(5))
			return
		}
		io.WriteString(w, line(2, "b")+line(3, "c")+line(4, "d")+finalized(5))
	})
	if got := seqs(t, c.Events(testContext(t), 1, 0)); !slices.Equal(got, []int64{1, 2, 3, 4, 5}) {
		t.Errorf("%v", got)
	}
}

// Live-only events do not move the position; long lines, several data lines and
// kinds of a newer daemon are no trouble.
func TestOddMessages(t *testing.T) {
	long := strings.Repeat("y", 300_000)
	partial := strings.Replace(strings.TrimPrefix(line(2, "par"), "id: 2\n"), `"partial":false`, `"partial":true`, 1)
	split := strings.Replace(line(3, "z"), `"run":1,`, "\"run\":1,\ndata: ", 1)
	unknown := "id: 4\ndata: {\"seq\":4,\"process\":1,\"kind\":\"brand_new\"}\n\n"
	c := fake(t, func(w http.ResponseWriter, _ *http.Request) {
		text := line(1, "a") + partial + line(2, long) + split + unknown + finalized(5)
		io.WriteString(w, strings.ReplaceAll(text, "\n", "\r\n"))
	})
	var lines []string
	for ev, err := range c.Events(testContext(t), 1, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if out, ok := ev.Data.(process.OutputAppended); ok {
			lines = append(lines, fmt.Sprint(ev.Seq, out.Partial, len(out.Line)))
		}
	}
	want := []string{"1 false 1", "2 true 3", "2 false 300000", "3 false 1"}
	if !slices.Equal(lines, want) {
		t.Errorf("%q, want %q", lines, want)
	}
}

// Without a cursor all events start now, and a position is known from the start.
func TestAllEventsFromNow(t *testing.T) {
	var connections atomic.Int32
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		after := r.URL.Query().Get("after")
		switch {
		case r.Header.Get("Accept") != "text/event-stream":
			io.WriteString(w, `{"events":[],"next":"41"}`)
		case connections.Add(1) == 1 && after == "41":
			cut() // before anything was sent
		case after == "41":
			io.WriteString(w, line(42, "a"))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		default:
			t.Errorf("after=%s", after)
		}
	})
	ctx, cancel := context.WithCancelCause(testContext(t))
	enough := errors.New("enough")
	defer cancel(nil)
	var got []string
	for ev, err := range c.AllEvents(ctx, client.EventFilter{}, "") {
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		got = append(got, fmt.Sprint(ev.Seq))
		cancel(enough)
	}
	if !slices.Equal(got, []string{"42", "enough"}) {
		t.Errorf("%v", got)
	}
}

// followServer streams 100 000 bytes and cuts each connection a little later.
func followServer(t *testing.T, step int) (*client.Client, []byte) {
	data := make([]byte, 100_000)
	for i := range data {
		data[i] = byte(i * 7 >> 3)
	}
	var connections atomic.Int32
	return fake(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/runs/2") {
			io.WriteString(w, `{"run":2,"completedAt":"2026-01-01T00:00:00Z"}`)
			return
		}
		if r.URL.Path != "/processes/1/runs/2/stderr" || r.URL.Query().Get("follow") != "1" {
			t.Errorf("%s", r.URL)
		}
		from, _ := strconv.Atoi(r.URL.Query().Get("offset"))
		if size := step; size < len(data)-from {
			w.Write(data[from : from+size])
			w.(http.Flusher).Flush()
			connections.Add(1)
			cut()
		}
		w.Write(data[from:])
	}), data
}

func TestFollowResumesByOffset(t *testing.T) {
	c, data := followServer(t, 12_345)
	var b bytes.Buffer
	n, err := c.FollowOutput(testContext(t), &b, client.Log{Process: 1, Run: 2, Stream: process.Stderr})
	if err != nil || n != int64(len(data)) || !bytes.Equal(b.Bytes(), data) {
		t.Errorf("%d bytes, %v", n, err)
	}
	b.Reset()
	n, err = c.FollowOutput(testContext(t), &b, client.Log{Process: 1, Run: 2, Stream: process.Stderr, From: 100, To: 30_000})
	if err != nil || n != 29_900 || !bytes.Equal(b.Bytes(), data[100:30_000]) {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// The daemon stopped in good order while the run went on.
func TestFollowGoesOnAfterAnOrderlyStop(t *testing.T) {
	var connections atomic.Int32
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		switch n := connections.Load(); {
		case r.URL.Path == "/processes/1" || strings.HasSuffix(r.URL.Path, "/runs/1") && n > 1:
			io.WriteString(w, `{"run":1,"lifecycle":"dead","state":"idle","createdAt":"2026-01-01T00:00:00Z","completedAt":"2026-01-01T00:00:00Z"}`)
		case strings.HasSuffix(r.URL.Path, "/runs/1"):
			io.WriteString(w, `{"run":1,"completedAt":null}`)
		default:
			fmt.Fprintf(w, "part %d;", connections.Add(1))
		}
	})
	var b bytes.Buffer
	_, err := c.FollowOutput(testContext(t), &b, client.Log{Process: 1, Stream: process.Stdout})
	if err != nil || b.String() != "part 1;part 2;" {
		t.Errorf("%q, %v", b.String(), err)
	}
}

type fullDisk struct{}

func (fullDisk) Write(b []byte) (int, error) { return 0, errFull }

var errFull = errors.New("full")

func TestFollowStopsWhenNobodyReads(t *testing.T) {
	c, _ := followServer(t, 1000)
	_, err := c.FollowOutput(testContext(t), fullDisk{}, client.Log{Process: 1, Run: 2, Stream: process.Stderr})
	if err != errFull {
		t.Error(err)
	}
}

func TestCopyAsksForARange(t *testing.T) {
	var got string
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.URL.Path + " " + r.Header.Get("Range")
		io.WriteString(w, "bytes")
	})
	for want, log := range map[string]client.Log{
		"/processes/1/stdout ":                   {Process: 1, Stream: process.Stdout},
		"/processes/1/runs/2/stderr bytes=5-":    {Process: 1, Run: 2, Stream: process.Stderr, From: 5},
		"/processes/1/runs/2/stdout bytes=5-9":   {Process: 1, Run: 2, Stream: process.Stdout, From: 5, To: 10},
		"/processes/1/runs/2/stdout bytes=0-999": {Process: 1, Run: 2, Stream: process.Stdout, To: 1000},
	} {
		var b bytes.Buffer
		if _, err := c.CopyOutput(testContext(t), &b, log); err != nil || got != want || b.String() != "bytes" {
			t.Errorf("%q, want %q: %v", got, want, err)
		}
	}
}

// The end may come before, while and after a waiter begins to listen, and the
// connection may break meanwhile.
func TestWait(t *testing.T) {
	var listening, ended atomic.Bool
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/processes/1" {
			state := process.Running
			if ended.Load() {
				state = process.Idle
			}
			record(w, state)
			return
		}
		if r.URL.RawQuery != "kind=finalized" {
			t.Error(r.URL)
		}
		if !listening.Swap(true) {
			w.(http.Flusher).Flush()
			cut()
		}
		other := strings.Replace(finalized(7), `"process":1`, `"process":2`, 1)
		io.WriteString(w, other)
		w.(http.Flusher).Flush()
		ended.Store(true)
		io.WriteString(w, finalized(8))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	rec, err := c.Wait(testContext(t), 1)
	if err != nil || rec.State != process.Idle || !listening.Load() {
		t.Errorf("%+v, %v", rec, err)
	}
}
