package storetest

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// FullNotification returns a pending notification in which every field is set,
// as Full does for processes.
func FullNotification(of process.ID, run, seed int) process.Notification {
	var n process.Notification
	f := &filler{n: seed * 1000}
	f.fill(reflect.ValueOf(&n).Elem())
	n.Process, n.Run, n.State = of, run, process.NotificationPending
	n.Body = []byte(`{"id":"x","text":"<&> ü"}`)
	return n
}

// settled is a notification that is not sent again.
func settled(n process.Notification, s process.NotificationState) process.Notification {
	n.State, n.DueAt = s, time.Time{}
	return n
}

func (f *fixture) notifications(id process.ID) []process.Notification {
	f.Helper()
	return must(f.s.Notifications(f.ctx, id, 0, 1<<20))(f)
}

func (f *fixture) receivers() []store.Receiver {
	f.Helper()
	all := must(f.s.Receivers(f.ctx))(f)
	slices.SortFunc(all, func(a, b store.Receiver) int { return strings.Compare(a.Host, b.Host) })
	return all
}

func testNotifications(f *fixture) {
	_, err := f.s.Notification(f.ctx, 1, 1)
	f.wantErr("unknown", err, process.ErrNotFound)
	_, err = f.s.Notifications(f.ctx, 1, 0, 10)
	f.wantErr("of an unknown process", err, process.ErrNotFound)
	p := f.add()
	f.wantSame("none", f.notifications(p.ID), []process.Notification(nil))

	first := FullNotification(p.ID, 1, 1)
	end := f.finishing(p)
	end.Notifications = []process.Notification{first} // with the end it tells
	f.apply(end)
	f.wantSame("every field", must(f.s.Notification(f.ctx, p.ID, 1))(f), &first)
	bare := process.Notification{Process: p.ID, Run: 2, State: process.NotificationFailed, CreatedAt: f.tick(), Body: []byte("{}")}
	f.apply(store.Change{Notifications: []process.Notification{bare}})
	f.wantSame("newest first", f.notifications(p.ID), []process.Notification{bare, first})
	f.wantSame("a page", must(f.s.Notifications(f.ctx, p.ID, 2, 1))(f), []process.Notification{first})
	f.wantSame("its rest", must(f.s.Notifications(f.ctx, p.ID, 1, 1))(f), []process.Notification(nil))
	f.wantSame("no more than asked for", must(f.s.Notifications(f.ctx, p.ID, 0, 1))(f), []process.Notification{bare})

	// Saving changes how far it is, and nothing else.
	other := settled(FullNotification(p.ID, 1, 2), process.NotificationDelivered)
	if err := f.s.SaveNotifications(f.ctx, []process.Notification{other, FullNotification(p.ID, 9, 1), FullNotification(99, 1, 1)}); err != nil {
		f.Fatal(err)
	}
	want := other
	want.ID, want.Host, want.Body, want.CreatedAt = first.ID, first.Host, first.Body, first.CreatedAt
	got := *must(f.s.Notification(f.ctx, p.ID, 1))(f)
	got.ID = first.ID // made once and never changed: a store need not keep it apart
	f.wantSame("saved", got, want)
	_, err = f.s.Notification(f.ctx, p.ID, 9)
	f.wantErr("saving makes none", err, process.ErrNotFound)
	f.wantSame("nothing is due", f.receivers(), []store.Receiver(nil))

	// Adding one again replaces it, also what is due.
	again := FullNotification(p.ID, 1, 3)
	f.apply(store.Change{Notifications: []process.Notification{first, again}})
	f.wantSame("replaced", must(f.s.Notification(f.ctx, p.ID, 1))(f), &again)
	f.wantSame("due once", f.receivers(), []store.Receiver{{Host: again.Host, Pending: 1, DueAt: again.DueAt}})

	for _, bad := range []process.Notification{
		{Process: p.ID, Run: 1, State: "odd"}, {Process: p.ID, Run: 0, State: process.NotificationFailed},
		{Process: p.ID, Run: 1, State: process.NotificationPending},
		{Process: p.ID, Run: 1, State: process.NotificationFailed, DueAt: f.now}, {Process: 7, Run: 1, State: process.NotificationFailed},
	} {
		if err := f.s.Apply(f.ctx, []store.Change{{ID: p.ID, Notifications: []process.Notification{bad}}}); err == nil {
			f.Errorf("%+v was stored", bad)
		}
	}
}

// testDueNotifications compares what is due with a list that is kept by hand.
func testDueNotifications(f *fixture) {
	r := rand.New(rand.NewPCG(3, 4))
	hosts := []string{"http://a", "http://b:1", "https://ü"}
	all := map[process.ID]process.Notification{}
	moments := r.Perm(1000)
	moment := func() time.Time {
		at := start.Add(time.Duration(moments[0]) * time.Second)
		moments = moments[1:]
		return at
	}
	for range 40 {
		p := f.add()
		n := process.Notification{Process: p.ID, Run: 1, ID: "x", State: process.NotificationPending, Host: hosts[r.IntN(3)],
			CreatedAt: f.now, DueAt: moment(), Body: []byte("{}")}
		f.apply(store.Change{Notifications: []process.Notification{n}})
		all[p.ID] = n
	}
	for range 60 {
		id := process.ID(1 + r.IntN(40))
		n := all[id]
		n.Attempts++
		if n.State, n.DueAt = process.NotificationPending, moment(); r.IntN(3) == 0 {
			n = settled(n, process.NotificationStates()[1+r.IntN(2)])
		}
		all[id] = n
		if err := f.s.SaveNotifications(f.ctx, []process.Notification{n}); err != nil {
			f.Fatal(err)
		}
		host, limit := hosts[r.IntN(3)], 1+r.IntN(20)
		var want []process.Notification
		var queues []store.Receiver
		for _, h := range hosts {
			var due []process.Notification
			for _, n := range all {
				if n.Host == h && n.State == process.NotificationPending {
					due = append(due, n)
				}
			}
			slices.SortFunc(due, func(a, b process.Notification) int { return a.DueAt.Compare(b.DueAt) })
			if len(due) > 0 {
				queues = append(queues, store.Receiver{Host: h, Pending: len(due), DueAt: due[0].DueAt})
			}
			if h == host {
				want = due[:min(limit, len(due))]
			}
		}
		f.wantSame("receivers", f.receivers(), queues)
		f.wantSame("due", must(f.s.DueNotifications(f.ctx, host, limit))(f), want)
	}
	f.wantSame("of another host", must(f.s.DueNotifications(f.ctx, "http://c", 9))(f), []process.Notification(nil))
}

func testNotificationsGo(f *fixture) {
	p, other := f.add(), f.add()
	kept := FullNotification(other.ID, 1, 1)
	f.apply(store.Change{Notifications: []process.Notification{FullNotification(p.ID, 1, 2), FullNotification(p.ID, 2, 3)}},
		store.Change{Notifications: []process.Notification{kept}})
	if err := f.s.Delete(f.ctx, p.ID); err != nil {
		f.Fatal(err)
	}
	_, err := f.s.Notification(f.ctx, p.ID, 1)
	f.wantErr("deleted", err, process.ErrNotFound)
	f.wantSame("receivers", f.receivers(), []store.Receiver{{Host: kept.Host, Pending: 1, DueAt: kept.DueAt}})
}

func testPruneNotifications(f *fixture) {
	idle, pinned, live := f.add(), f.add(tagged("keep")), f.add()
	f.finish(idle)
	f.finish(pinned)
	put := func(p *process.Process, run int, s process.NotificationState) {
		n := FullNotification(p.ID, run, run)
		if n.CreatedAt = f.tick(); s != process.NotificationPending {
			n = settled(n, s)
		}
		f.apply(store.Change{Notifications: []process.Notification{n}})
	}
	for _, p := range []*process.Process{idle, pinned, live} {
		for i, s := range process.NotificationStates() {
			put(p, i+1, s)
		}
	}
	at := f.tick()
	put(idle, 4, process.NotificationDelivered) // young
	if n := must(f.s.PruneNotifications(f.ctx, at, "keep", 1))(f); n != 1 {
		f.Errorf("pruned %d, want the limit", n)
	}
	if n := must(f.s.PruneNotifications(f.ctx, at, "keep", 100))(f); n != 1 {
		f.Errorf("pruned %d, want the rest, 1", n)
	}
	for p, want := range map[*process.Process]int{idle: 2, pinned: 3, live: 3} {
		if got := f.notifications(p.ID); len(got) != want {
			f.Errorf("process %d has %d left, want %d", p.ID, len(got), want)
		}
	}
	if n := must(f.s.PruneNotifications(f.ctx, at, "", 100))(f); n != 2 {
		f.Errorf("pruned %d without a pinned tag, want 2", n)
	}
}
