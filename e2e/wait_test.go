//go:build linux

package e2e

import (
	"context"
	"strings"
	"sync"
	"testing"
)

// ?wait= bounds a block: 504 says where the process is, and it goes on.
func TestWaitIsBounded(t *testing.T) {
	t.Parallel()
	d := shared(t)
	g := newGate(t)
	a := d.post(t, "/processes?wait=50", m{"environment": "command", "code": g.wait(), "block": true}).want(t, 504, "wait_exceeded")
	location := a.header.Get("Location")
	at := strings.LastIndex(location, "/processes/")
	if at < 0 {
		t.Fatalf("Location %q", location)
	}
	rec := d.get(t, location[at:]).want(t, 200).json(t)
	if rec.state() == "idle" {
		t.Errorf("after the 504 it is %s/%s", rec.state(), rec.exitState())
	}
	g.open(t)
	d.await(t, rec.id(), "idle").wantEnd(t, "success")
	d.post(t, "/processes?wait=60000", m{"code": "", "block": true}).want(t, 201).json(t).wantEnd(t, "success")
	if got := d.post(t, "/processes?wait=60000", m{"code": "hang"}).want(t, 201).json(t); got.state() == "idle" {
		t.Error("without block it waited")
	} else {
		d.kill(t, got.id(), m{"block": true})
	}
}

// run and kill wait as create does.
func TestBlockingSignals(t *testing.T) {
	t.Parallel()
	d := shared(t)
	id := d.inState(t, "never")
	d.post(t, path(id, "/signals/run"), block).want(t, 200).json(t).wantEnd(t, "success")
	id = d.inState(t, "running")
	d.kill(t, id, m{"block": true}).wantEnd(t, "canceled")
}

// A client that goes away ends nothing.
func TestDisconnectEndsNothing(t *testing.T) {
	t.Parallel()
	d := shared(t)
	ref, g := unique("disconnect"), newGate(t)
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error)
	go func() {
		_, err := d.open(ctx, request{method: "POST", path: "/processes", body: m{"environment": "command", "code": g.wait() + "; echo done", "block": true, "ref": ref}})
		gone <- err
	}()
	var id int64
	waitFor(t, "the process", func() bool {
		list := d.get(t, "/processes?ref="+ref).want(t, 200).json(t).list("processes")
		if len(list) == 1 && list[0].state() == "running" {
			id = list[0].id()
		}
		return id != 0
	})
	cancel()
	if err := <-gone; err == nil {
		t.Error("the request was answered before it was given up")
	}
	g.open(t)
	if rec := d.await(t, id, "idle").wantEnd(t, "success"); rec.str("stdout") != "done\n" {
		t.Errorf("stdout %q", rec.str("stdout"))
	}
}

// Many may wait for one process and all are told.
func TestManyWaiters(t *testing.T) {
	t.Parallel()
	d := shared(t)
	id := d.inState(t, "running")
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			a, err := d.try(request{method: "POST", path: path(id, "/signals/kill"), body: m{"block": true}})
			if err != nil || a.status != 200 && a.status != 409 {
				t.Errorf("%v %v", a, err)
			} else if a.status == 200 {
				a.json(t).wantEnd(t, "canceled")
			}
		})
	}
	wg.Wait()
}

// The same key and body is the same process; another body is a conflict.
func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	base := newBase(t)
	d := startIn(t, base)
	create := func(key, body string) answer {
		return d.do(t, request{method: "POST", path: "/processes", body: body, header: m{"Idempotency-Key": key}})
	}
	body := `{"environment":"command","code":"echo once","block":true}`
	first := create("a", body).want(t, 201)
	id := first.json(t).id()
	again := create("a", body).want(t, 200)
	if again.json(t).id() != id {
		t.Errorf("process %d, then %d", id, again.json(t).id())
	}
	if strings.HasSuffix(first.header.Get("Location"), path(id, "")) != strings.HasSuffix(again.header.Get("Location"), path(id, "")) {
		t.Errorf("Location %q, then %q", first.header.Get("Location"), again.header.Get("Location"))
	}
	create("a", `{"environment":"command","code":"echo twice"}`).want(t, 409, "idempotency_conflict")
	if other := create("b", body).want(t, 201).json(t).id(); other == id {
		t.Error("another key gave the same process")
	}
	create("refused", `{"environment":"command"}`).want(t, 400)
	create("refused", body).want(t, 201) // what was refused made nothing

	var mu sync.Mutex
	count, ids := map[int]int{}, map[int64]bool{}
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			a, err := d.try(request{method: "POST", path: "/processes", body: `{"code":"sleep 50ms"}`, header: m{"Idempotency-Key": "race"}})
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			count[a.status]++
			ids[a.json(t).id()] = true
		})
	}
	wg.Wait()
	if count[201] != 1 || count[200] != 11 || len(ids) != 1 {
		t.Errorf("12 creates with one key at once: %v, processes %v", count, ids)
	}

	if rec := d.record(t, id); rec.num("run") != 1 || rec.str("stdout") != "once\n" {
		t.Errorf("run %d, stdout %q", rec.num("run"), rec.str("stdout"))
	}
	for _, problem := range d.end() {
		t.Error(problem)
	}
	d = startIn(t, base)
	if after := create("a", body).want(t, 200).json(t).id(); after != id {
		t.Errorf("after a restart the key gives %d, before %d", after, id)
	}
	d.crash()
	d = startIn(t, base)
	if after := create("a", body).want(t, 200).json(t).id(); after != id {
		t.Errorf("after a crash the key gives %d, before %d", after, id)
	}
	create("a", `{"code":""}`).want(t, 409, "idempotency_conflict")
}

// A deleted process does not come back by its key as something it is not.
func TestIdempotencyAfterDelete(t *testing.T) {
	t.Parallel()
	d := shared(t)
	again := request{method: "POST", path: "/processes", body: m{"code": "", "block": true}, header: m{"Idempotency-Key": unique("deleted")}}
	id := d.do(t, again).want(t, 201).json(t).id()
	d.delete(t, id).want(t, 200)
	a := d.do(t, again)
	if a.status >= 500 || a.status == 200 && a.json(t).id() == id {
		t.Errorf("%v: process %d is deleted", a, id)
	}
	d.get(t, path(id, "")).want(t, 404, "not_found")
}
