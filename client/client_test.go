package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
)

func TestHosts(t *testing.T) {
	for _, host := range []string{"http://127.0.0.1:7338", "127.0.0.1:7338", "unix:///run/reeve.sock", "https://example.org/reeve/", "[::1]:1"} {
		if _, err := client.New(client.Config{Host: host}); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
	for _, host := range []string{"", "unix://", "ftp://x", "http://", "://"} {
		if _, err := client.New(client.Config{Host: host}); !errors.Is(err, process.ErrInvalid) {
			t.Errorf("%q: %v", host, err)
		}
	}
}

func TestRequests(t *testing.T) {
	var method, uri, body, auth, key string
	handler := func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		method, uri, body, auth, key = r.Method, r.URL.RequestURI(), string(b), r.Header.Get("Authorization"), r.Header.Get("Idempotency-Key")
		switch {
		case strings.HasSuffix(r.URL.Path, "/code") || strings.HasSuffix(r.URL.Path, "/docs"):
			io.WriteString(w, "text")
		default:
			io.WriteString(w, "{}")
		}
	}
	c, ctx := fake(t, handler), testContext(t)
	status, code := process.ExitNone, "x"
	for _, test := range []struct {
		call func() error
		want string
	}{
		{func() error {
			_, err := c.Create(ctx, api.Create{Code: &code}, client.CreateOptions{IdempotencyKey: "k", Wait: time.Second})
			return err
		}, `POST /processes?wait=1000 {"code":"x"} k`},
		{func() error { _, err := c.Process(ctx, 7); return err }, `GET /processes/7  `},
		{func() error { _, err := c.TranscriptPage(ctx, 7, 3); return err }, `GET /processes/7/transcript?after=3  `},
		{func() error { _, err := c.Start(ctx, 7, api.Run{Resume: true}); return err }, `POST /processes/7/signals/run {"resume":true} `},
		{func() error {
			_, err := c.Processes(ctx, process.Query{State: process.Idle, Status: &status, Tag: "a b", Ref: "r", Environment: "command", Parent: 3, Limit: 5, Cursor: "9", Since: time.Unix(0, 0)}, "code", "output")
			return err
		}, `GET /processes?cursor=9&environment=command&include=code%2Coutput&limit=5&parent=3&ref=r&since=1970-01-01T00%3A00%3A00Z&state=idle&status=null&tag=a+b  `},
		{func() error { _, err := c.Tree(ctx, 7); return err }, `GET /processes/7/tree  `},
		{func() error { _, err := c.Runs(ctx, 7); return err }, `GET /processes/7/runs  `},
		{func() error { _, err := c.RunRecord(ctx, 7, 2); return err }, `GET /processes/7/runs/2  `},
		{func() error { _, err := c.Code(ctx, 7); return err }, `GET /processes/7/code  `},
		{func() error { _, err := c.Output(ctx, 7, 0); return err }, `GET /processes/7/output  `},
		{func() error { _, err := c.Output(ctx, 7, 3); return err }, `GET /processes/7/runs/3/output  `},
		{func() error { _, err := c.Start(ctx, 7, api.Run{Force: true}); return err }, `POST /processes/7/signals/run {"force":true} `},
		{func() error { _, err := c.Kill(ctx, 7, api.Kill{Grace: api.MS(5)}); return err }, `POST /processes/7/signals/kill {"grace":5} `},
		{func() error { _, err := c.Signal(ctx, 7, process.SIGINT, api.Signal{}); return err }, `POST /processes/7/signals/int {} `},
		{func() error { _, err := c.Signal(ctx, 7, process.SIGTERM, api.Signal{}); return err }, `POST /processes/7/signals/term {} `},
		{func() error { _, err := c.Signal(ctx, 7, process.SIGPAUSE, api.Signal{Tree: true}); return err }, `POST /processes/7/signals/pause {"tree":true} `},
		{func() error { _, err := c.Signal(ctx, 7, process.SIGRESUME, api.Signal{}); return err }, `POST /processes/7/signals/resume {} `},
		{func() error { _, err := c.Delete(ctx, 7); return err }, `DELETE /processes/7  `},
		{func() error { _, err := c.EventsPage(ctx, 7, 4); return err }, `GET /processes/7/events?after=4  `},
		{func() error {
			_, err := c.AllEventsPage(ctx, client.EventFilter{Kind: "exited", Tag: "t", Environment: "e"}, "8")
			return err
		}, `GET /events?after=8&environment=e&kind=exited&tag=t  `},
		{func() error { _, err := c.Environments(ctx); return err }, `GET /environments  `},
		{func() error { _, err := c.EnvironmentDocs(ctx, "a/b"); return err }, `GET /environments/a%2Fb/docs  `},
		{func() error { _, err := c.Prune(ctx, api.Prune{Logs: api.MS(0)}); return err }, `POST /prune {"logs":0} `},
		{func() error { _, err := c.Version(ctx); return err }, `GET /version  `},
		{func() error { return c.Health(ctx) }, `GET /health  `},
	} {
		if err := test.call(); err != nil {
			t.Errorf("%s: %v", test.want, err)
		}
		if got := fmt.Sprintf("%s %s %s %s", method, uri, body, key); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
		if auth != "Bearer secret" {
			t.Errorf("%s: authorization %q", test.want, auth)
		}
	}
	if _, err := c.Signal(ctx, 7, process.SIGKILL, api.Signal{}); !errors.Is(err, process.ErrInvalid) {
		t.Errorf("SIGKILL: %v", err)
	}
}

func TestSocket(t *testing.T) {
	c := fakeSocket(t, func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode(api.Version{Version: "1", DataDir: r.Host})
	})
	v, err := c.Version(testContext(t))
	if err != nil || v.Version != "1" || v.DataDir != "localhost" {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		status int
		body   string
		is     error
		text   string
	}{
		{404, `{"error":"there is no process 7","code":"not_found"}`, process.ErrNotFound, "there is no process 7"},
		{409, `{"error":"busy","code":"not_idle"}`, process.ErrNotIdle, "busy"},
		{504, `{"error":"too long","code":"wait_exceeded"}`, &process.Error{Code: api.CodeWaitExceeded}, "too long"},
		{401, `{"error":"who are you?","code":"unauthorized"}`, &process.Error{Code: api.CodeUnauthorized}, "who are you?"},
		{502, `<html>bad gateway</html>`, &process.Error{Code: api.CodeInternal}, `the server answered 502 Bad Gateway: "<html>bad gateway</html>"`},
	} {
		c := fake(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3")
			w.Header().Set("Location", "/processes/7")
			w.WriteHeader(test.status)
			io.WriteString(w, test.body)
		})
		_, err := c.Process(testContext(t), 7)
		var status *client.StatusError
		if !errors.Is(err, test.is) || !errors.As(err, &status) || err.Error() != test.text {
			t.Errorf("%d: %v", test.status, err)
			continue
		}
		if status.Status != test.status || status.RetryAfter != 3*time.Second || status.Location != "/processes/7" {
			t.Errorf("%+v", status)
		}
	}
}

func TestNobodyAnswers(t *testing.T) {
	for _, host := range []string{"unix://" + filepath.Join(t.TempDir(), "none"), "127.0.0.1:1"} {
		err := newClient(t, client.Config{Host: host}).Health(testContext(t))
		var unreachable *client.UnreachableError
		if !errors.As(err, &unreachable) || !strings.Contains(err.Error(), "reeve serve") || !strings.Contains(err.Error(), host) {
			t.Errorf("%s: %v", host, err)
		}
	}
}

func TestAllGoesThroughPages(t *testing.T) {
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		next := map[string]string{"": `"3"`, "3": `"2"`, "2": "null"}[r.URL.Query().Get("cursor")]
		fmt.Fprintf(w, `{"processes":[{"id":%d,"lifecycle":"dead","createdAt":"2026-01-01T00:00:00Z"}],"nextCursor":%s}`, len(next), next)
	})
	n := 0
	for _, err := range c.All(testContext(t), process.Query{}) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	if n != 3 {
		t.Errorf("%d processes", n)
	}
}

// A create that may have arrived is repeated under its key, and only then.
func TestCreateIsRepeatedUnderItsKey(t *testing.T) {
	var calls atomic.Int32
	var keys []string
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.Header.Get("Idempotency-Key"))
		if calls.Add(1) == 1 {
			cut()
		}
		record(w, process.Queued)
	})
	rec, err := c.Create(testContext(t), api.Create{}, client.CreateOptions{IdempotencyKey: "once"})
	if err != nil || rec.ID != 1 || !slices.Equal(keys, []string{"once", "once"}) {
		t.Errorf("%v, %v, %v", rec.ID, err, keys)
	}
	calls.Store(0)
	if _, err := c.Create(testContext(t), api.Create{}, client.CreateOptions{}); err == nil {
		t.Error("a create without a key was repeated")
	}
}

func TestPatienceEnds(t *testing.T) {
	c := newClient(t, client.Config{Host: "127.0.0.1:1", Patience: -1})
	_, err := c.Wait(testContext(t), 1)
	var unreachable *client.UnreachableError
	if !errors.As(err, &unreachable) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	if _, err := c.Wait(ctx, 1); err == nil || err.Error() != "enough" {
		t.Error(err)
	}
}
