package kernel

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// endings remembers the changes that hold the end of a run.
type endings struct {
	store.Store
	mu  sync.Mutex
	all []store.Change
}

func (e *endings) Apply(ctx context.Context, changes []store.Change) error {
	e.mu.Lock()
	for _, c := range changes {
		over := 0
		for _, ev := range c.Events {
			if ev.Kind == process.KindFinalized {
				over++
			}
		}
		if over > 0 || len(c.Notifications) > 0 {
			e.all = append(e.all, c)
		}
	}
	e.mu.Unlock()
	return e.Store.Apply(ctx, changes)
}

// The end of a run and the notification that tells it are one change: no crash
// can come between them. What names nobody has none.
func TestNotificationIsStoredWithTheEnd(t *testing.T) {
	var st *endings
	var mu sync.Mutex
	heard := map[process.ID]int{}
	f := newFixtureWith(t, 1, func(c *Config) {
		st = &endings{Store: c.Store}
		c.Store = st
		c.Notify = func(n process.Notification) { mu.Lock(); heard[n.Process]++; mu.Unlock() }
	})
	defer f.shut(t)
	to := &process.Notify{URL: "http://Receiver:80/x?token", Secret: "hush"}
	spawn := func(script string, to *process.Notify) process.ID {
		id, err := f.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "fake", Code: script, Notify: to}})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	told, silent := spawn("out x", to), spawn("out x", nil)
	hung := spawn("hang", to)
	queued := spawn("out x", to)
	if err := f.Kill(t.Context(), queued, KillOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := f.Kill(t.Context(), hung, KillOptions{Now: true}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []process.ID{told, silent, hung, queued} {
		if _, err := f.Wait(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Run(t.Context(), told, RunOptions{Force: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Wait(t.Context(), told); err != nil {
		t.Fatal(err)
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if len(st.all) != 5 {
		t.Errorf("%d changes, want 5", len(st.all))
	}
	ids := map[string]bool{}
	for _, c := range st.all {
		want := 1
		if c.ID == silent {
			want = 0
		}
		if len(c.Notifications) != want {
			t.Errorf("the end of %d has %d notifications, want %d", c.ID, len(c.Notifications), want)
			continue
		}
		for _, n := range c.Notifications {
			if ids[n.ID] || n.State != process.NotificationPending || n.Host != "http://receiver:80" || n.Attempts != 0 {
				t.Errorf("%+v", n)
			}
			ids[n.ID] = true
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if heard[told] != 2 || heard[hung] != 1 || heard[queued] != 1 || len(heard) != 3 {
		t.Errorf("heard of %v", heard)
	}
	var e *process.Error
	if _, err := f.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "fake", Notify: &process.Notify{URL: "x"}}}); !errors.As(err, &e) || e.Field != "notify.url" {
		t.Errorf("a bad URL: %v", err)
	}
}
