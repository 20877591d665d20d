package client_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake serves a handler over TCP and returns a client of it.
func fake(t *testing.T, h http.HandlerFunc) *client.Client {
	t.Helper()
	s := httptest.NewServer(h)
	c := newClient(t, client.Config{Host: s.URL, Token: "secret", Patience: 5 * time.Second})
	t.Cleanup(func() { c.Close(); s.Close() })
	return c
}

// fakeSocket serves a handler over a unix socket.
func fakeSocket(t *testing.T, h http.HandlerFunc) *client.Client {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(h)
	s.Listener.Close()
	s.Listener = l
	s.Start()
	c := newClient(t, client.Config{Host: "unix://" + path})
	t.Cleanup(func() { c.Close(); s.Close() })
	return c
}

func newClient(t *testing.T, cfg client.Config) *client.Client {
	t.Helper()
	c, err := client.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// testContext bounds a test that would hang.
func testContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// line is an output event as it is on the wire.
func line(seq int, text string) string {
	return fmt.Sprintf("id: %d\nevent: output_appended\ndata: {\"seq\":%d,\"cursor\":\"%d\",\"process\":1,\"run\":1,\"at\":\"2026-01-01T00:00:00Z\",\"kind\":\"output_appended\",\"stream\":\"stdout\",\"line\":%q,\"offset\":0,\"partial\":false}\n\n", seq, seq, seq, text)
}

// finalized is the last event of a run as it is on the wire.
func finalized(seq int) string {
	return fmt.Sprintf("id: %d\ndata: {\"seq\":%d,\"process\":1,\"run\":1,\"at\":\"2026-01-01T00:00:00Z\",\"kind\":\"finalized\",\"outcome\":{\"kind\":\"succeeded\",\"summary\":null,\"findings\":[],\"survivors\":[]}}\n\n", seq, seq)
}

// record is the least of a record.
func record(w http.ResponseWriter, state process.State) {
	fmt.Fprintf(w, `{"id":1,"run":1,"state":%q,"lifecycle":"running","progress":{"kind":"unknown"},"createdAt":"2026-01-01T00:00:00Z"}`, state)
}

// cut breaks the connection so that the client sees that it is broken.
func cut() { panic(http.ErrAbortHandler) }

// seqs collects the numbers of events until the stream ends.
func seqs(t *testing.T, events func(func(process.Event, error) bool)) (got []int64) {
	t.Helper()
	for ev, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, ev.Seq)
	}
	return got
}
