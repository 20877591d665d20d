//go:build linux

package e2e

import "testing"

const mciKeys = "pid ref state status error"

func wantMCI(t testing.TB, got m, state, status string) m {
	t.Helper()
	wantKeys(t, got, mciKeys)
	if len(got) != 5 || got.state() != state || got.str("status") != status {
		t.Errorf("%v, want %s/%s and only %s", got, state, status, mciKeys)
	}
	return got
}

// Seed 002 as it is written.
func TestMCIFlow(t *testing.T) {
	t.Parallel()
	d := shared(t)
	a := d.post(t, "/mci/processes", m{"code": "out hi\nerr oops\noutput {\"a\":1}"}).want(t, 201)
	created := a.json(t)
	if len(created) != 1 || created.num("pid") < 1 {
		t.Errorf("a create answers %v, want {pid}", created)
	}
	pid := created.num("pid")
	at := "/mci" + path(pid, "")
	var got m
	waitFor(t, "idle", func() bool { got = d.get(t, at).want(t, 200).json(t); return got.state() == "idle" })
	wantMCI(t, got, "idle", "success")
	if string(d.get(t, at+"/stdout").want(t, 200).body) != "hi\n" || string(d.get(t, at+"/stderr").want(t, 200).body) != "oops\n" {
		t.Error("its output is not what it wrote")
	}
	wantJSON(t, d.get(t, at+"/output").want(t, 200).json(t), `{"a":1}`)
	if code := d.get(t, at+"/code").want(t, 200).typed(t, "text/plain").body; string(code) != "out hi\nerr oops\noutput {\"a\":1}" {
		t.Errorf("code %q", code)
	}
	d.post(t, at+"/signals/run", nil).want(t, 409, "has_outputs")
	wantMCI(t, d.post(t, at+"/signals/run", m{"force": true, "block": true}).want(t, 200).json(t), "idle", "success")
	d.post(t, at+"/signals/kill", nil).want(t, 409, "already_idle")
	wantMCI(t, d.do(t, request{method: "DELETE", path: at}).want(t, 200).json(t), "idle", "success")
	d.get(t, at).want(t, 404, "not_found")
}

// Its bodies: timeout, block and ref at the top level.
func TestMCIBodies(t *testing.T) {
	t.Parallel()
	d := shared(t)
	ref := unique("mci")
	got := wantMCI(t, d.post(t, "/mci/processes", m{"code": "", "ref": " " + ref + " ", "block": true}).want(t, 201).json(t), "idle", "success")
	if got.str("ref") != ref {
		t.Errorf("ref %q", got.str("ref"))
	}
	wantMCI(t, d.post(t, "/mci/processes", m{"code": "hang", "timeout": 20, "block": true}).want(t, 201).json(t), "idle", "timeout")
	failed := wantMCI(t, d.post(t, "/mci/processes", m{"code": "fail no luck", "block": true}).want(t, 201).json(t), "idle", "failed")
	if failed.str("error") != "no luck" {
		t.Errorf("error %v", failed["error"])
	}
	null := d.post(t, "/mci/processes", m{"code": "", "timeout": nil, "block": true}).want(t, 201).json(t)
	if options := d.record(t, null.num("pid")).obj("options"); options["timeoutMs"] != nil {
		t.Errorf("timeout null: %v", options)
	}
	usual := d.post(t, "/mci/processes", m{"code": ""}).want(t, 201).json(t)
	if rec := d.record(t, usual.num("pid")); rec.obj("options").num("timeoutMs") != 30000 || rec.str("environment") != "typescript" {
		t.Errorf("by default: %v in %v", rec["options"], rec["environment"])
	}
	for body, field := range map[string]string{`{}`: "code", `{"code":5}`: "code", `{"code":"","timeout":0}`: "timeout", `{"code":"","timeout":-1}`: "timeout", `{"code":"","timeout":1.5}`: "timeout",
		`{"code":"","timeout":"1000"}`: "timeout", `{"code":"","ref":""}`: "ref", `{"code":"","ref":" "}`: "ref", `{"code":"","block":1}`: "block", `{"code":"","x":1}`: "x", `[]`: "", `{`: ""} {
		d.post(t, "/mci/processes", body).want(t, 400, "invalid_request").naming(t, field)
	}
	list := d.get(t, "/mci/processes?state=idle&status=success&ref="+ref).want(t, 200).json(t)
	if items := list.list("processes"); len(list) != 1 || len(items) != 1 {
		t.Errorf("list %v", list)
	} else {
		wantMCI(t, items[0], "idle", "success")
	}
	for _, query := range []string{"state=x", "status=x", "ref=", "ref=%20"} {
		d.get(t, "/mci/processes?"+query).want(t, 400, "invalid_request")
	}
}

// Kill of a queued and of a running process; one at a time, in order.
func TestMCISerial(t *testing.T) {
	t.Parallel()
	d := start(t, "--concurrency", "typescript=1")
	var pids []int64
	for _, code := range []string{"hang", "out second", "out third", "out fourth"} {
		pids = append(pids, d.post(t, "/mci/processes", m{"code": code}).want(t, 201).json(t).num("pid"))
	}
	d.await(t, pids[0], "running")
	for _, pid := range pids[1:] {
		wantMCI(t, d.get(t, "/mci"+path(pid, "")).want(t, 200).json(t), "queued", "")
		d.get(t, "/mci"+path(pid, "/stdout")).want(t, 409, "not_idle")
	}
	wantMCI(t, d.post(t, "/mci"+path(pids[2], "/signals/kill"), nil).want(t, 200).json(t), "idle", "canceled")
	killed := d.post(t, "/mci"+path(pids[0], "/signals/kill"), nil).want(t, 200).json(t)
	if s := killed.state(); s != "terminating" && s != "idle" {
		t.Errorf("state %q", s)
	}
	d.await(t, pids[0], "idle").wantEnd(t, "canceled")
	// One slot means that executions do not overlap; the records of two that
	// ended close together may settle in either order.
	d.await(t, pids[3], "idle").wantEnd(t, "success")
	d.await(t, pids[1], "idle").wantEnd(t, "success")
	if rec := d.record(t, pids[2]); rec["startedAt"] != nil || rec.str("stdout") != "" {
		t.Errorf("the killed one was executed: %v", rec)
	}
}

// One at a time means that by their records no two overlap, in the order they
// came.
func TestMCIOneAtATime(t *testing.T) {
	t.Parallel()
	d := start(t, "--concurrency", "typescript=1")
	first := d.inState(t, "running") // so that the others queue up
	var pids []int64
	for range 30 {
		pids = append(pids, d.post(t, "/mci/processes", m{"code": "out x"}).want(t, 201).json(t).num("pid"))
	}
	before := d.kill(t, first, block)
	for _, pid := range pids {
		rec := d.await(t, pid, "idle").wantEnd(t, "success")
		if rec.str("startedAt") < before.str("completedAt") {
			t.Errorf("process %d started at %s, the one before ended at %s", pid, rec.str("startedAt"), before.str("completedAt"))
		}
		before = rec
	}
}
