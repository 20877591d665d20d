//go:build linux

package e2e

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// The overview tells what there is, and keeps telling it as things happen.
func TestOverview(t *testing.T) {
	t.Parallel()
	base := newBase(t)
	d := startIn(t, base, "--concurrency", "fake=1")
	get := func() m { return d.get(t, "/overview").want(t, 200).json(t) }
	empty := get()
	if keys := slices.Sorted(maps.Keys(empty)); strings.Join(keys, " ") != "activity approvals at cursor environments exitStates paused states tags total" {
		t.Errorf("keys %v", keys)
	}
	if empty.num("total") != 0 || empty["tags"] == nil || len(empty.obj("environments")) != 0 || empty.str("cursor") == "" {
		t.Errorf("%v", empty)
	}
	d.sh(t, "true", block, m{"tags": []string{"a", "b"}})
	d.sh(t, "exit 3", block, m{"tags": []string{"a"}})
	d.fake(t, "", m{"autorun": false})
	hung := d.fake(t, "hang", m{"tags": []string{"a"}}).id()
	d.await(t, hung, "running")
	queued := d.fake(t, "hang").id()
	asleep := d.sh(t, "sleep 60").id()
	d.await(t, asleep, "running")
	d.post(t, path(asleep, "/signals/pause"), nil).want(t, 200)
	d.sh(t, "sleep 60", m{"options": m{"timeout": 50}, "block": true})
	check := func(o m, total int64, states, exits, envs m) {
		t.Helper()
		if o.num("total") != total {
			t.Errorf("total %v, want %d", o["total"], total)
		}
		for name, want := range map[string]m{"states": states, "exitStates": exits, "environments": envs} {
			got := o.obj(name)
			for key, n := range want {
				if got.num(key) != int64(n.(int)) {
					t.Errorf("%s %v, want %v", name, got, want)
					break
				}
			}
			if len(got) != len(want) {
				t.Errorf("%s %v, want %v", name, got, want)
			}
		}
	}
	o := get()
	check(o, 7, m{"queued": 1, "running": 2, "terminating": 0, "idle": 4}, m{"none": 4, "success": 1, "failed": 1, "timeout": 1, "canceled": 0}, m{"command": 4, "fake": 3})
	if tags := o.list("tags"); o.num("paused") != 1 || o.num("approvals") != 0 || len(tags) != 2 || tags[0].str("tag") != "a" || tags[0].num("count") != 3 || tags[1].num("count") != 1 {
		t.Errorf("paused %v, approvals %v, tags %v", o["paused"], o["approvals"], o["tags"])
	}
	wantActivity(t, o, 7, 1, 2)
	// A stream after the cursor misses nothing of what follows.
	s := d.follow(t, "/events?kind=finalized,process_created&after="+o.str("cursor"), nil)
	d.kill(t, queued, nil)
	d.kill(t, hung, m{"now": true, "block": true})
	d.kill(t, asleep, m{"now": true, "block": true})
	d.delete(t, hung).want(t, 200)
	seen := map[int64]bool{}
	s.until("three ends", func(ev m) bool { seen[ev.num("process")] = true; return len(seen) == 3 })
	check(get(), 6, m{"queued": 0, "running": 0, "terminating": 0, "idle": 6}, m{"none": 1, "success": 1, "failed": 1, "timeout": 1, "canceled": 2}, m{"command": 4, "fake": 2})
	wantActivity(t, get(), 7, 1, 5)
	d.get(t, "/overview?x=1").want(t, 400, "invalid_request").naming(t, "x")
	d.post(t, "/overview", nil).want(t, 405, "method_not_allowed")
	// The next daemon counts the same; what was deleted is gone from the hour, too.
	before := get()
	for _, problem := range d.end() {
		t.Error(problem)
	}
	d = startIn(t, base)
	check(get(), 6, m{"queued": 0, "running": 0, "terminating": 0, "idle": 6}, m{"none": 1, "success": 1, "failed": 1, "timeout": 1, "canceled": 2}, m{"command": 4, "fake": 2})
	wantActivity(t, get(), 6, 1, 4)
	if len(before.list("tags")) != len(get().list("tags")) {
		t.Errorf("tags %v, then %v", before["tags"], get()["tags"])
	}
}

func wantActivity(t *testing.T, o m, created, succeeded, failed int) {
	t.Helper()
	a := o.obj("activity")
	sum := func(name string) (n int) {
		list, _ := a[name].([]any)
		if len(list) != 60 {
			t.Errorf("%s has %d spans", name, len(list))
		}
		for _, v := range list {
			n += int(v.(float64))
		}
		return n
	}
	if c, s, f := sum("created"), sum("succeeded"), sum("failed"); c != created || s != succeeded || f != failed {
		t.Errorf("created %d, succeeded %d, failed %d; want %d, %d, %d", c, s, f, created, succeeded, failed)
	}
	from, err := time.Parse(time.RFC3339, a.str("from"))
	if at, _ := time.Parse(time.RFC3339, o.str("at")); err != nil || a.num("stepMs") != 60000 || at.Sub(from) > time.Hour || at.Sub(from) < 59*time.Minute {
		t.Errorf("from %v to %v: %v", a["from"], o["at"], err)
	}
}
