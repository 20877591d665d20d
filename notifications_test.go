package reeve_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/reeverun/reeve"
)

// receiver is a real receiver of notifications.
type receiver struct {
	*httptest.Server
	mu  sync.Mutex
	ids []string
}

func receive(t *testing.T, addr string, hang bool) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		_, _ = io.Copy(io.Discard, q.Body)
		r.mu.Lock()
		r.ids = append(r.ids, q.Header.Get("webhook-id"))
		r.mu.Unlock()
		if hang {
			<-q.Context().Done()
		}
	}))
	if addr != "" {
		_ = r.Listener.Close()
		var err error
		if r.Listener, err = net.Listen("tcp", addr); err != nil {
			t.Fatal(err)
		}
	}
	r.Start()
	t.Cleanup(func() { r.CloseClientConnections(); r.Close() })
	return r
}

func (r *receiver) got() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.ids...)
}

func nothing(context.Context, *reeve.FuncCall) error { return nil }

// until waits for a condition, by looking.
func until(t *testing.T, what string, f func() bool) {
	t.Helper()
	for ctx := bounded(t); !f(); {
		select {
		case <-ctx.Done():
			t.Fatal("timed out: " + what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// An embedder has it, too; without a directory Close is the last chance to tell.
func TestNotifyInMemory(t *testing.T) {
	in := receive(t, "", false)
	rt, err := reeve.Open(t.Context(), reeve.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		wait(t, spawn(t, rt, reeve.Func("f", nothing).Notify(in.URL, "s")))
	}
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	if n := len(in.got()); n != 20 {
		t.Errorf("%d of 20 were told", n)
	}
}

// What could not be told is told by the next owner of the directory.
func TestNotifyAfterReopen(t *testing.T) {
	probe, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := probe.Addr().String()
	_ = probe.Close() // nobody listens there yet
	dir := t.TempDir()
	rt, err := reeve.Open(t.Context(), reeve.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	p := spawn(t, rt, reeve.Func("f", nothing).Notify("http://"+addr+"/x", "s"))
	wait(t, p)
	notification := func(rt *reeve.Runtime) reeve.Notification {
		all, err := rt.Notifications(t.Context(), p.ID(), 0, 10)
		if err != nil || len(all) != 1 {
			t.Fatalf("%v, %v", all, err)
		}
		return all[0]
	}
	until(t, "an attempt", func() bool { return notification(rt).Attempts > 0 })
	before := notification(rt)
	if before.State != reeve.NotificationPending || before.LastError == "" {
		t.Errorf("%+v", before)
	}
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	in := receive(t, addr, false)
	rt = open(t, reeve.Config{Dir: dir})
	until(t, "the delivery", func() bool { return notification(rt).State == reeve.NotificationDelivered })
	if got := in.got(); len(got) != 1 || got[0] != before.ID {
		t.Errorf("told %v, want %s", got, before.ID)
	}
	if _, err := rt.Renotify(t.Context(), p.ID(), 7); !errors.Is(err, reeve.ErrNotFound) {
		t.Errorf("an unknown run: %v", err)
	}
	if _, err := rt.Renotify(t.Context(), p.ID(), 1); err != nil {
		t.Fatal(err)
	}
	until(t, "it again", func() bool { return len(in.got()) == 2 })
}

// A thousand ends that a dead receiver is to be told of keep nobody waiting: all
// processes end, and another receiver is told at once.
func TestNotifyThousandToADeadReceiver(t *testing.T) {
	dead, in := receive(t, "", true), receive(t, "", false)
	rt := open(t, reeve.Config{Dir: t.TempDir()})
	begun := time.Now()
	var crowd sync.WaitGroup
	for range 20 { // they share their commits
		crowd.Go(func() {
			for range 50 {
				p, err := rt.Spawn(t.Context(), reeve.Func("f", nothing).Notify(dead.URL, "s"))
				if err == nil {
					_, err = p.Wait(bounded(t))
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	crowd.Wait()
	took := time.Since(begun)
	p := spawn(t, rt, reeve.Func("f", nothing).Notify(in.URL, "s"))
	wait(t, p)
	until(t, "the other receiver", func() bool { return len(in.got()) == 1 })
	s, err := rt.NotifyStats(t.Context())
	if err != nil || s.Pending < 999 || len(dead.got()) > 16 {
		t.Errorf("%+v, %v; the dead one was asked %d times", s, err, len(dead.got()))
	}
	t.Logf("1000 creates and ends took %v", took)
}

func TestNotifyIsChecked(t *testing.T) {
	rt := open(t, reeve.Config{})
	if _, err := rt.Spawn(t.Context(), reeve.Func("f", nothing).Notify("ftp://h", "")); !errors.Is(err, reeve.ErrInvalid) {
		t.Errorf("%v", err)
	}
}
