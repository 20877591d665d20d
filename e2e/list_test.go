//go:build linux

package e2e

import (
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// ids lists what a query finds, following its pages.
func (d *daemon) ids(t testing.TB, query string) (ids []int64) {
	t.Helper()
	for cursor := ""; ; {
		page := d.get(t, "/processes?"+query+cursor).want(t, 200).json(t)
		if page["processes"] == nil {
			t.Fatalf("processes is null: %v", page)
		}
		for _, rec := range page.list("processes") {
			ids = append(ids, rec.id())
		}
		next, more := page["nextCursor"].(string)
		if !more {
			if v, ok := page["nextCursor"]; !ok || v != nil {
				t.Fatalf("nextCursor is %v", v)
			}
			return ids
		}
		cursor = "&cursor=" + url.QueryEscape(next)
	}
}

// Every filter finds what it names and nothing else.
func TestListFilters(t *testing.T) {
	t.Parallel()
	d := start(t, "--concurrency", "fake=1")
	blocker := d.fake(t, "hang").id()
	d.await(t, blocker, "running")
	made := map[string]int64{"blocker": blocker}
	for _, state := range strings.Fields("never queued running terminating success failed timeout canceled") {
		made[state] = d.inState(t, state)
	}
	made["child"] = d.fake(t, "", m{"autorun": false, "parent": made["success"], "ref": "the ref", "tags": []string{"a", "b"}}).id()
	made["tagged"] = d.sh(t, "true", block, m{"tags": []string{"b"}}).id()
	middle := d.record(t, made["failed"]).str("createdAt")
	idle := "never success failed timeout canceled child tagged"
	for query, want := range map[string]string{
		"": "blocker queued running terminating " + idle, "state=idle": idle, "state=queued": "queued", "state=running": "blocker running", "state=terminating": "terminating",
		"status=success": "success tagged", "status=failed": "failed", "status=timeout": "timeout", "status=canceled": "canceled",
		"status=null": "blocker never queued running terminating child", "state=idle&status=null": "never child",
		"ref=the+ref": "child", "ref=+the%20ref+": "child", "ref=nobody": "", "tag=a": "child", "tag=b": "child tagged", "tag=c": "",
		"environment=fake": "blocker never queued child", "environment=command": "tagged", "parent=" + itoa(made["success"]): "child", "parent=" + itoa(made["never"]): "",
		"until=" + middle: "", "since=2020-01-01T00:00:00Z&state=queued": "queued", "until=2020-01-01T00:00:00.000Z": "", "since=2999-01-01T00:00:00Z": "",
		"tag=b&environment=command&state=idle&status=success": "tagged",
	} {
		got := d.ids(t, query)
		if !slices.IsSortedFunc(got, func(a, b int64) int { return int(b - a) }) {
			t.Errorf("%q is not newest first: %v", query, got)
		}
		if strings.HasPrefix(query, "until="+middle) {
			if slices.Contains(got, made["tagged"]) || !slices.Contains(got, made["blocker"]) {
				t.Errorf("%q finds %v of %v", query, got, made)
			}
			continue
		}
		var ids []int64
		for name := range strings.FieldsSeq(want) {
			ids = append(ids, made[name])
		}
		slices.Sort(ids)
		slices.Sort(got)
		if !slices.Equal(got, ids) {
			t.Errorf("%q finds %v, want %v (%s)", query, got, ids, want)
		}
	}
}

// Blank or unknown values are refused, by name.
func TestListRefuses(t *testing.T) {
	t.Parallel()
	d := shared(t)
	for _, c := range []struct{ query, field string }{
		{"state=", "state"}, {"state=Idle", "state"}, {"state=done", "state"}, {"state=null", "state"}, {"state=%20", "state"},
		{"status=", "status"}, {"status=ok", "status"}, {"status=SUCCESS", "status"}, {"ref=", "ref"}, {"ref=%20%09", "ref"}, {"tag=", "tag"}, {"environment=", "environment"},
		{"parent=", "parent"}, {"parent=0", "parent"}, {"parent=x", "parent"}, {"parent=1x", "parent"}, {"since=", "since"}, {"since=yesterday", "since"}, {"until=12", "until"}, {"until=", "until"},
		{"limit=", "limit"}, {"limit=0", "limit"}, {"limit=-1", "limit"}, {"limit=1001", "limit"}, {"limit=x", "limit"}, {"limit=1.5", "limit"}, {"limit=99999999999999999999", "limit"},
		{"cursor=", "cursor"}, {"cursor=bogus", "cursor"}, {"cursor=-5", "cursor"}, {"include=", "include"}, {"include=everything", "include"}, {"include=code,,stdout", "include"},
		{"colour=red", "colour"}, {"State=idle", "State"},
	} {
		d.get(t, "/processes?"+c.query).want(t, 400, "invalid_request").naming(t, c.field)
	}
	a := d.get(t, "/processes?status=bad")
	for _, word := range []string{"success", "failed", "timeout", "canceled", "null"} {
		a.naming(t, word)
	}
}

// Items leave out what is heavy unless it is asked for.
func TestListInclude(t *testing.T) {
	t.Parallel()
	d := shared(t)
	tag := unique("include")
	d.sh(t, "echo out; echo err >&2", block, m{"tags": []string{tag}})
	for _, include := range []string{"", "code", "stdout", "stderr,output", "code,output,stdout,stderr"} {
		query := "/processes?tag=" + tag
		if include != "" {
			query += "&include=" + include
		}
		item := d.get(t, query).want(t, 200).json(t).list("processes")[0]
		for key := range strings.FieldsSeq(recordKeys) {
			_, has := item[key]
			heavy := slices.Contains(strings.Fields(heavyKeys), key)
			asked := slices.Contains(strings.Split(include, ","), key)
			if has != (!heavy || asked) {
				t.Errorf("include=%s: %s is there: %v", include, key, has)
			}
		}
		if strings.Contains(include, "stdout") && item.str("stdout") != "out\n" || strings.Contains(include, "stderr") && item.str("stderr") != "err\n" {
			t.Errorf("include=%s: %v", include, item)
		}
	}
}

// Pages neither lose nor repeat anything while the list grows.
func TestListPages(t *testing.T) {
	t.Parallel()
	d := start(t)
	const n = 250
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			for range n / 10 {
				if a, err := d.try(request{method: "POST", path: "/processes", body: m{"code": "", "autorun": false, "tags": []string{"old"}}}); err != nil || a.status != 201 {
					t.Errorf("%v %v", a, err)
				}
			}
		})
	}
	wg.Wait()
	if page := d.get(t, "/processes").json(t); len(page.list("processes")) != 100 || page["nextCursor"] == nil {
		t.Errorf("the default page has %d, nextCursor %v", len(page.list("processes")), page["nextCursor"])
	}
	for _, limit := range []string{"1000", "7", "50", "250", "125"} {
		for _, query := range []string{"limit=" + limit, "tag=old&state=idle&limit=" + limit} {
			newcomer := d.fake(t, "", m{"autorun": false, "tags": []string{"new"}}).id()
			stop := make(chan struct{})
			var creating sync.WaitGroup
			creating.Go(func() { d.createUntil(stop) })
			got := d.ids(t, query)
			close(stop)
			creating.Wait()
			seen := map[int64]int{}
			for _, id := range got {
				seen[id]++
			}
			for id := int64(1); id <= n; id++ {
				if seen[id] != 1 {
					t.Fatalf("%s: process %d came %d times", query, id, seen[id])
				}
			}
			if strings.HasPrefix(query, "limit") && seen[newcomer] != 1 {
				t.Errorf("%s: the newest process came %d times", query, seen[newcomer])
			}
		}
	}
}

// createUntil makes processes until it is told to stop.
func (d *daemon) createUntil(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
			_, _ = d.try(request{method: "POST", path: "/processes", body: m{"code": "", "autorun": false, "tags": []string{"new"}}})
		}
	}
}
