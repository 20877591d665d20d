package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// Several look on at a real process, from its middle to its end.
func TestTrace(t *testing.T) {
	c, ctx := real(t), testContext(t)
	rec := start(t, c, "sleep 1000")
	var looking, all sync.WaitGroup
	seen := make([][]process.Syscall, 3)
	looking.Add(len(seen))
	for i := range seen {
		all.Go(func() {
			first := sync.OnceFunc(looking.Done)
			for call, err := range c.Trace(ctx, rec.ID) {
				if err != nil {
					t.Error(err)
					break
				}
				seen[i] = append(seen[i], call)
				first()
			}
			first()
		})
	}
	looked := make(chan struct{})
	go func() { looking.Wait(); close(looked) }()
	for on := true; on; { // until all have seen one
		if _, err := c.Signal(ctx, rec.ID, process.SIGRESUME, api.Signal{}); err != nil {
			t.Fatal(err)
		}
		select {
		case <-looked:
			on = false
		default:
		}
	}
	if _, err := c.Kill(ctx, rec.ID, api.Kill{Block: true}); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	for i, calls := range seen {
		last := calls[len(calls)-1]
		if last.Call != process.CallReap || last.At.IsZero() || len(last.Args) != 1 ||
			!slices.ContainsFunc(calls, func(c process.Syscall) bool { return c.Call == "Kill" && c.Error == nil }) {
			t.Errorf("reader %d saw %+v", i, calls)
		}
	}
	for _, err := range c.Trace(ctx, rec.ID) {
		if !errors.Is(err, process.ErrNotRunning) || strings.Contains(err.Error(), "NOT_FOUND") {
			t.Errorf("trace of the finished: %v", err)
		}
	}
}

// A trace that ends before its process does is an error, and is not begun again:
// what was missed is gone.
func TestTraceThatBreaks(t *testing.T) {
	connections := 0
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		connections++
		fmt.Fprint(w, ": hello\n\ndata: {\"at\":\"2026-01-01T00:00:00.000Z\",\"call\":\"Write\",\"args\":{\"bytes\":3},\"durationMs\":0.25,\"error\":null,\"dropped\":2}\n\n")
	})
	var got []process.Syscall
	var last error
	for call, err := range c.Trace(testContext(t), 1) {
		if last = err; err == nil {
			got = append(got, call)
		}
	}
	if len(got) != 1 || got[0].Call != "Write" || got[0].DurationMS != 0.25 || got[0].Dropped != 2 || got[0].Args["bytes"] != 3.0 {
		t.Errorf("%+v", got)
	}
	if last == nil || connections != 1 {
		t.Errorf("after %d connections: %v", connections, last)
	}
}
