//go:build linux

package e2e

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// told is one request that a receiver got.
type told struct {
	header http.Header
	query  string
	body   []byte
}

func (n told) id() string { return n.header.Get("webhook-id") }

func (n told) process(t testing.TB) m {
	t.Helper()
	var body m
	if err := json.Unmarshal(n.body, &body); err != nil {
		t.Errorf("%q: %v", n.body, err)
	}
	if body.str("type") != "process.finalized" || body.str("id") != n.id() || body.str("at") == "" || len(body) != 4 {
		t.Errorf("the body is %s", n.body)
	}
	return body.obj("process")
}

// signed checks the signature as the specification of Standard Webhooks says.
func (n told) signed(t testing.TB, secret string) {
	t.Helper()
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s.%s.%s", n.id(), n.header.Get("webhook-timestamp"), n.body)
	if want, got := "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)), n.header.Get("webhook-signature"); want != got {
		t.Errorf("the signature is %q, want %q", got, want)
	}
	var at int64
	if _, err := fmt.Sscan(n.header.Get("webhook-timestamp"), &at); err != nil || time.Since(time.Unix(at, 0)).Abs() > time.Minute {
		t.Errorf("the timestamp is %q", n.header.Get("webhook-timestamp"))
	}
}

// listener is a receiver of notifications.
type listener struct {
	*httptest.Server
	mu  sync.Mutex
	all []told
}

// listen starts a receiver that answers with status 200, or as it is told to,
// by the number of the request.
func listen(t testing.TB, addr string, answer func(n int, w http.ResponseWriter, r *http.Request)) *listener {
	t.Helper()
	l := &listener{}
	l.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		l.mu.Lock()
		l.all = append(l.all, told{r.Header.Clone(), r.URL.RawQuery, body})
		n := len(l.all)
		l.mu.Unlock()
		if answer != nil {
			answer(n, w, r)
		}
	}))
	if addr != "" {
		_ = l.Listener.Close()
		var err error
		if l.Listener, err = net.Listen("tcp", addr); err != nil {
			t.Fatal(err)
		}
	}
	l.Start()
	t.Cleanup(func() { l.CloseClientConnections(); l.Close() })
	return l
}

func (l *listener) got() []told {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]told(nil), l.all...)
}

func (l *listener) await(t testing.TB, n int) []told {
	t.Helper()
	waitFor(t, fmt.Sprintf("%d notifications", n), func() bool { return len(l.got()) >= n })
	return l.got()
}

// notified waits until the newest notification of a process is in a state.
func (d *daemon) notified(t testing.TB, id int64, state string) (n m) {
	t.Helper()
	waitFor(t, fmt.Sprintf("the notification of %d to be %s", id, state), func() bool {
		all := d.get(t, path(id, "/notifications")).want(t, 200).json(t).list("notifications")
		if len(all) == 0 {
			return false
		}
		n = all[0]
		return n.str("state") == state
	})
	return n
}

// Whatever way a run ends, its end is told, once, signed.
func TestIssue6Notify(t *testing.T) {
	t.Parallel()
	d := start(t, "--concurrency", "command=1")
	in := listen(t, "", nil)
	notify := func(name string) m {
		return m{"label": name, "notify": m{"url": in.URL + "/done?for=" + name, "secret": "a secret"}}
	}
	busy := d.sh(t, "echo ready; sleep 60", notify("canceled")).id()
	wantLine(t, d.tap(t, path(busy, "/stdout?follow=1")), "ready\n")
	queued := d.sh(t, "true", notify("queued")).id()
	d.kill(t, queued, nil)
	d.kill(t, busy, m{"now": true, "block": true})
	ids := map[string]int64{"canceled": busy, "queued": queued,
		"success": d.sh(t, "echo out; exit 0", notify("success"), block).id(),
		"failed":  d.sh(t, "exit 7", notify("failed"), block).id(),
		"timeout": d.sh(t, "sleep 60", notify("timeout"), block, m{"options": m{"timeout": 50, "grace": 50}}).id(),
		"spawn":   d.create(t, with(m{"environment": "command", "command": m{"program": "/nowhere/at/all"}}, notify("spawn"), block)).id(),
		"program": d.fake(t, "out x", notify("program"), block).id(),
		"parked":  d.fake(t, "out x", notify("parked"), m{"autorun": false}).id(),
	}
	want := map[string]string{"canceled": "canceled", "queued": "canceled", "success": "success", "failed": "failed", "timeout": "timeout", "spawn": "failed", "program": "success"}
	seen := map[string]bool{}
	for _, n := range in.await(t, len(want)) {
		n.signed(t, "a secret")
		rec := n.process(t)
		name := rec.str("label")
		if seen[name] || rec.exitState() != want[name] || rec.id() != ids[name] || rec.state() != "idle" || n.query != "for="+name {
			t.Errorf("%s was told %s", name, n.body)
		}
		seen[name] = true
		for _, key := range strings.Fields(heavyKeys) {
			if _, there := rec[key]; there {
				t.Errorf("%s: the body holds %s", name, key)
			}
		}
		if !strings.HasPrefix(n.header.Get("User-Agent"), "reeve/") || n.header.Get("Content-Type") != "application/json" {
			t.Errorf("headers %v", n.header)
		}
	}
	for name, id := range ids {
		if name == "parked" {
			continue
		}
		got := d.notified(t, id, "delivered")
		if got.num("attempts") != 1 || got.num("lastStatus") != 200 || got["lastError"] != nil || got["nextAttemptAt"] != nil || got.str("url") != in.URL+"/done?•••" {
			t.Errorf("%s: %v", name, got)
		}
	}
	if all := d.get(t, path(ids["parked"], "/notifications")).json(t).list("notifications"); len(all) != 0 {
		t.Errorf("one that never ran told %v", all)
	}
	// A run again is told again, as another event.
	d.post(t, path(ids["failed"], "/signals/run"), m{"force": true, "block": true}).want(t, 200)
	last := in.await(t, len(want)+1)[len(want)]
	if run := last.process(t).num("run"); run != 2 {
		t.Errorf("run %d was told", run)
	}
	page := d.get(t, path(ids["failed"], "/notifications?limit=1")).want(t, 200).json(t)
	if page.list("notifications")[0].num("run") != 2 || page.str("nextCursor") == "" {
		t.Errorf("the first page is %v", page)
	}
	page = d.get(t, path(ids["failed"], "/notifications?limit=1&cursor="+page.str("nextCursor"))).want(t, 200).json(t)
	if len(page.list("notifications")) != 1 || page.list("notifications")[0].num("run") != 1 || page["nextCursor"] != nil {
		t.Errorf("the second page is %v", page)
	}
	// And what was told is told again when somebody asks for that, as the same event.
	again := d.post(t, path(ids["failed"], "/notifications/2/retry"), nil).want(t, 200).json(t)
	if n := in.await(t, len(want)+2)[len(want)+1]; again.str("state") != "pending" || n.id() != last.id() || string(n.body) != string(last.body) {
		t.Errorf("again: %v, then %v", again, n)
	}
	d.post(t, path(ids["failed"], "/notifications/3/retry"), nil).want(t, 404, "not_found")
	d.post(t, path(ids["failed"], "/notifications/x/retry"), nil).want(t, 400, "invalid_request")
	d.get(t, path(ids["failed"], "/notifications?limit=0")).want(t, 400, "invalid_request")
	d.get(t, "/processes/987654/notifications").want(t, 404, "not_found")
	waitFor(t, "the metrics to count notifications", func() bool {
		text := string(d.get(t, "/metrics").body)
		return strings.Contains(text, fmt.Sprintf("reeve_notification_attempts_total{result=\"delivered\"} %d\n", len(want)+2)) && strings.Contains(text, "reeve_notifications_pending 0\n")
	})
	d.delete(t, ids["failed"]).want(t, 200)
	d.get(t, path(ids["failed"], "/notifications")).want(t, 404, "not_found")
}

// A receiver that fails hears it again, with the same id.
func TestIssue6NotifyFailingReceiver(t *testing.T) {
	t.Parallel()
	d := start(t)
	in := listen(t, "", func(n int, w http.ResponseWriter, _ *http.Request) {
		if n == 1 {
			w.WriteHeader(500)
		}
	})
	gone := listen(t, "", func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(410) })
	id := d.sh(t, "true", m{"notify": m{"url": in.URL}}, block).id()
	last := d.sh(t, "true", m{"notify": m{"url": gone.URL}}, block).id()
	all := in.await(t, 2)
	if all[0].id() != all[1].id() || string(all[0].body) != string(all[1].body) || all[0].header.Get("webhook-signature") != "" {
		t.Errorf("%v", all)
	}
	if n := d.notified(t, id, "delivered"); n.num("attempts") != 2 || n["lastError"] != nil {
		t.Errorf("%v", n)
	}
	if n := d.notified(t, last, "failed"); n.num("attempts") != 1 || n.num("lastStatus") != 410 || n.str("lastError") == "" {
		t.Errorf("%v", n)
	}
	waitFor(t, "a warning", func() bool { return strings.Contains(d.log.String(), "a notification was given up") })
}

// A daemon that dies after the end, or while it tells it, tells it when it is
// back, with the same id; of what ran it tells what is true.
func TestIssue6NotifyCrash(t *testing.T) {
	t.Parallel()
	base := newBase(t)
	d := startIn(t, base)
	probe, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	away := probe.Addr().String()
	_ = probe.Close() // nobody listens there yet
	met := make(chan struct{})
	slow := listen(t, "", func(n int, _ http.ResponseWriter, r *http.Request) {
		if n == 1 {
			close(met)
			<-r.Context().Done()
		}
	})
	running := d.fake(t, "hang", m{"notify": m{"url": "http://" + away, "secret": "s"}}).id()
	d.await(t, running, "running")
	flag := base + "/go"
	outlives := d.sh(t, "echo ready; while [ ! -e "+flag+" ]; do sleep 0.02; done; exit 5", m{"notify": m{"url": "http://" + away, "secret": "s"}}).id()
	wantLine(t, d.tap(t, path(outlives, "/stdout?follow=1")), "ready\n")
	before := d.sh(t, "exit 3", m{"notify": m{"url": "http://" + away + "/x", "secret": "s"}}, block).id()
	during := d.sh(t, "exit 4", m{"notify": m{"url": slow.URL, "secret": "s"}}, block).id()
	<-met
	d.crash()
	writeFile(t, base, "go", "")

	in := listen(t, away, nil)
	d = startIn(t, base)
	codes := map[int64]string{}
	for _, n := range in.await(t, 3) {
		n.signed(t, "s")
		rec := n.process(t)
		codes[rec.id()] = fmt.Sprint(rec.obj("exit").num("code"), " ", rec.obj("exit").str("reason"))
	}
	want := map[int64]string{running: "1 host process exited", before: "3 exit status 3", outlives: "5 exit status 5"}
	if !maps.Equal(codes, want) {
		t.Errorf("told %v, want %v", codes, want)
	}
	all := slow.await(t, 2)
	if all[0].id() != all[1].id() || string(all[0].body) != string(all[1].body) {
		t.Errorf("told %q, then %q", all[0].body, all[1].body)
	}
	for _, id := range []int64{running, before, during, outlives} {
		d.notified(t, id, "delivered")
	}
}

// Nothing secret of it is shown, logged or written in clear.
func TestIssue6NotifySecrets(t *testing.T) {
	t.Parallel()
	d := start(t, "--log-level", "debug")
	in := listen(t, "", func(n int, w http.ResponseWriter, r *http.Request) { w.WriteHeader(410) })
	secrets := []string{"hunter2-sign-XyZZy", "hunter2-query-XyZZy", "hunter2pathXyZZy0123456789"}
	notify := m{"url": in.URL + "/" + secrets[2] + "?t=" + secrets[1], "secret": secrets[0]}
	body := m{"environment": "command", "code": "exit 1", "block": true, "notify": notify}
	a := d.do(t, request{method: "POST", path: "/processes", body: body, header: m{"Idempotency-Key": "k"}}).want(t, 201)
	id := a.json(t).id()
	if n := a.json(t).obj("notify"); n.str("url") != in.URL+"/•••?•••" || n["signed"] != true || len(n) != 2 {
		t.Errorf("the record shows %v", n)
	}
	seen := []string{string(a.body)}
	boss := d.post(t, "/supervisors", m{"children": []m{{"name": "c", "restart": "temporary", "environment": "command", "code": "true", "notify": notify}}}).want(t, 201).json(t).id()
	d.await(t, boss, "idle")
	for _, n := range in.await(t, 2) {
		n.signed(t, secrets[0])
		seen = append(seen, string(n.body))
	}
	d.notified(t, id, "failed")
	dead := d.sh(t, "true", m{"notify": m{"url": "http://127.0.0.1:1/" + secrets[2] + "?t=" + secrets[1], "secret": secrets[0]}}, block).id()
	waitFor(t, "an attempt", func() bool {
		return d.get(t, path(dead, "/notifications")).json(t).list("notifications")[0].num("attempts") > 0
	})
	for _, at := range []string{path(id, ""), path(id, "/notifications"), path(id, "/events"), path(id, "/tree"), path(boss, ""), path(boss, "/code"), path(boss, "/tree"),
		path(dead, "/notifications"), "/processes?include=code,output,stdout,stderr", "/supervisors", "/events?after=0", "/metrics"} {
		seen = append(seen, string(d.get(t, at).body))
	}
	seen = append(seen, string(d.post(t, path(id, "/notifications/1/retry"), nil).body), d.reeve(t, "", "show", itoa(id)).stdout)
	for range 2 { // while it runs, and after it has written everything
		for _, file := range filesIn(d.base) {
			if content, err := os.ReadFile(file); err == nil {
				seen = append(seen, file+"\n"+string(content))
			}
		}
		if !d.over() {
			for _, problem := range d.end() {
				t.Error(problem)
			}
		}
	}
	seen = append(seen, "the daemon's log\n"+d.log.String())
	for _, text := range seen {
		for _, secret := range secrets {
			if strings.Contains(text, secret) {
				t.Errorf("%q is in %.300q", secret, text)
			}
		}
	}
}

func TestIssue6NotifyRefused(t *testing.T) {
	t.Parallel()
	d := shared(t)
	for body, field := range map[string]string{
		`{}`: "notify.url", `{"url":""}`: "notify.url", `{"url":7}`: "notify.url", `{"url":"ftp://h/"}`: "notify.url", `{"url":"h/x"}`: "notify.url",
		`{"url":"http://"}`: "notify.url", `{"url":"http://me:hush@h/"}`: "notify.url", `{"url":"http://h:99999/"}`: "notify.url",
		`{"url":"http://h/` + strings.Repeat("x", 3000) + `"}`: "notify.url", `{"url":"http://h/\u0000"}`: "notify.url",
		`{"url":"http://h/","secret":""}`: "notify.secret", `{"url":"http://h/","secret":1}`: "notify.secret", `{"url":"http://h/","secret":"whsec_?"}`: "notify.secret",
		`{"url":"http://h/","secret":"` + strings.Repeat("x", 2000) + `"}`: "notify.secret",
		`{"url":"http://h/","headers":{}}`:                                 "notify.headers", `"http://h/"`: "notify", `[]`: "notify",
	} {
		a := d.post(t, "/processes", `{"environment":"fake","code":"","notify":`+body+`}`).want(t, 400, "invalid_request")
		if sentence := a.json(t).str("error"); !strings.Contains(sentence, field) || strings.Contains(sentence, "hush") {
			t.Errorf("notify %.60s: %q does not name %s", body, sentence, field)
		}
	}
	d.post(t, "/processes", `{"environment":"fake","code":"","notify":null}`).want(t, 201)
	a := d.post(t, "/supervisors", m{"children": []m{{"name": "c", "environment": "command", "code": "true", "notify": m{"url": "ftp://h"}}}}).want(t, 400, "invalid_request")
	if sentence := a.json(t).str("error"); !strings.Contains(sentence, "children[0].notify.url") {
		t.Errorf("of a supervisor's child: %q", sentence)
	}
}

// A receiver that never answers holds up neither processes nor other receivers.
func TestIssue6NotifyDeadReceiver(t *testing.T) {
	t.Parallel()
	d := start(t)
	dead := listen(t, "", func(_ int, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	in := listen(t, "", nil)
	n := 60
	if os.Getenv("REEVE_TORTURE") != "" {
		n = 1000
	}
	creates := func(url string) (took time.Duration) {
		begun := time.Now()
		for range n {
			d.fake(t, "", m{"notify": m{"url": url, "secret": "s"}})
		}
		return time.Since(begun)
	}
	alive, hung := creates(in.URL), creates(dead.URL)
	last := d.fake(t, "", m{"notify": m{"url": in.URL, "secret": "s"}}, block).id()
	d.notified(t, last, "delivered")
	in.await(t, n+1)
	waitFor(t, "all to end", func() bool {
		return len(d.get(t, "/processes?state=running&limit=1").json(t).list("processes")) == 0
	})
	waitFor(t, "those to the dead receiver, and no others, to be pending", func() bool {
		return strings.Contains(string(d.get(t, "/metrics").body), fmt.Sprintf("reeve_notifications_pending %d\n", n))
	})
	t.Logf("%d creates: %v, with a dead receiver %v; it was asked %d times", n, alive, hung, len(dead.got()))
}

// By command line: the secret comes by a file or a variable, which the job does
// not see.
func TestIssue6NotifyByCommandLine(t *testing.T) {
	t.Parallel()
	d := start(t)
	in := listen(t, "", nil)
	cmd := d.client("run", "--notify", in.URL+"/cli?t=1", "--", "env")
	cmd.Env = append(cmd.Env, "REEVE_NOTIFY_SECRET=by variable")
	out, err := cmd.Output()
	if err != nil || strings.Contains(string(out), "by variable") {
		t.Errorf("%v: the job sees %s", err, out)
	}
	first := in.await(t, 1)[0]
	first.signed(t, "by variable")
	file := writeFile(t, d.base, "secret", "by file\n")
	if got := d.reeve(t, "", "exec", "--environment", "fake", "--notify", in.URL, "--notify-secret-file", file, "-e", "out x"); got.code != 0 {
		t.Errorf("exec: %+v", got)
	}
	in.await(t, 2)[1].signed(t, "by file")
	id := first.process(t).id()
	d.notified(t, id, "delivered")
	if got := d.reeve(t, "", "show", itoa(id)); !strings.Contains(got.stdout, in.URL+"/cli?•••  delivered, 1 attempt") {
		t.Errorf("show: %s", got.stdout)
	}
	for args, code := range map[string]int{"run --notify ftp://h -- true": 2, "run --notify-secret-file x -- true": 2, "run --notify http://h --notify-secret-file nowhere -- true": 1,
		"run --notify http://a:b@h -- true": 2} {
		if got := d.reeve(t, "", strings.Fields(args)...); got.code != code || !strings.Contains(got.stderr, "secret") && !strings.Contains(got.stderr, "notify") {
			t.Errorf("reeve %s: %+v, want %d", args, got, code)
		}
	}
}
