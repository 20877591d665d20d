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
		"state=queued,running,terminating":                    "blocker queued running terminating", "state=idle,queued&status=null": "never queued child",
		"status=failed,timeout": "failed timeout", "status=null,canceled&state=idle": "never canceled child", "state=queued,%20queued": "queued",
		"ids=" + itoa(made["failed"]) + "," + itoa(made["queued"]) + ",999999": "failed queued", "ids=" + itoa(made["failed"]) + "&state=queued": "", "ids=9223372036854775807": "",
		"ids=" + itoa(made["child"]) + "," + itoa(made["running"]) + "&state=running,idle": "child running", "ids=" + itoa(made["child"]) + "&tag=a&text=REF": "child",
		"text=THE+r": "child", "text=nobody": "", "text=fake&state=idle": "never child", "text=tru&environment=command&tag=b": "tagged", "text=%25": "", "text=_": "", "text=" + itoa(made["child"]) + "&tag=a": "child",
		"paused=1": "", "paused=0&state=queued": "queued",
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
		{"state=idle,", "state"}, {"state=idle,,queued", "state"}, {"state=idle,done", "state"}, {"status=success,ok", "status"}, {"ids=", "ids"}, {"ids=0", "ids"}, {"ids=1,x", "ids"}, {"ids=1,,2", "ids"}, {"ids=-1", "ids"}, {"ids=99999999999999999999", "ids"},
		{"ids=1" + strings.Repeat(",1", 1000), "ids"}, {"state=idle" + strings.Repeat(",idle", 100), "state"}, {"paused=", "paused"}, {"paused=yes", "paused"}, {"text=", "text"}, {"text=%20", "text"}, {"text=" + strings.Repeat("x", 201), "text"},
		{"colour=red", "colour"}, {"State=idle", "State"},
	} {
		d.get(t, "/processes?"+c.query).want(t, 400, "invalid_request").naming(t, c.field)
	}
	a := d.get(t, "/processes?status=bad")
	for _, word := range []string{"success", "failed", "timeout", "canceled", "null"} {
		a.naming(t, word)
	}
}

// What names a process is searched, whatever its letters' case; env values and
// what stands far down in the code are not.
func TestListText(t *testing.T) {
	t.Parallel()
	d := shared(t)
	tag := unique("text")
	create := func(body m) int64 {
		body["tags"], body["autorun"] = []string{tag, "Größe"}, false
		return d.post(t, "/processes", body).want(t, 201).json(t).id()
	}
	command := create(m{"environment": "command", "label": "Nightly \"ÄRGER\" <b>", "command": m{"program": "/bin/Make", "args": []string{"test", "50%"}, "env": m{"K": "hushhush"}}})
	code := create(m{"environment": "fake", "ref": tag + "-Ref", "code": strings.Repeat("é", 190) + "needle" + strings.Repeat("x", 50) + "haystack"})
	for text, want := range map[string][]int64{
		"make TEST": {command}, "make test 50%": {command}, "ärger": {command}, `"ärger" <B`: {command}, "0%": {command}, "hushhush": nil, "•••": nil, "GRÖSSE": nil, "größe": {command, code},
		"NEEDLE": {code}, "haystack": nil, "-ref": {code}, "make  test": nil, `\`: nil, "args": nil,
	} {
		got := d.ids(t, "tag="+tag+"&text="+url.QueryEscape(text))
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %v, want %v", text, got, want)
		}
	}
	item := d.get(t, "/processes?text=needle&tag="+tag).want(t, 200).json(t).list("processes")[0]
	if _, has := item["code"]; has {
		t.Errorf("the code was not asked for: %v", item)
	}
	whole := d.get(t, "/processes?text=needle&include=code&tag="+tag).want(t, 200).json(t).list("processes")[0]
	if !strings.HasSuffix(whole.str("code"), "haystack") {
		t.Errorf("the code is cut: %q", whole.str("code"))
	}
}

// A paused process is found as long as it is.
func TestListPaused(t *testing.T) {
	t.Parallel()
	d := shared(t)
	tag := unique("paused")
	id := d.sh(t, "sleep 60", m{"tags": []string{tag}}).id()
	d.sh(t, "true", block, m{"tags": []string{tag}})
	d.await(t, id, "running")
	query := "paused=1&tag=" + tag
	if got := d.ids(t, query); len(got) > 0 {
		t.Errorf("before: %v", got)
	}
	d.post(t, "/processes/"+itoa(id)+"/signals/pause", nil).want(t, 200)
	for _, q := range []string{query, query + "&ids=" + itoa(id), query + "&state=running", query + "&text=SLEEP"} {
		if got := d.ids(t, q); !slices.Equal(got, []int64{id}) {
			t.Errorf("%s: %v", q, got)
		}
	}
	if got := d.ids(t, query+"&state=idle"); len(got) > 0 {
		t.Errorf("idle: %v", got)
	}
	d.post(t, "/processes/"+itoa(id)+"/signals/kill", m{"now": true, "block": true}).want(t, 200)
	if got := d.ids(t, query); len(got) > 0 {
		t.Errorf("after: %v", got)
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
