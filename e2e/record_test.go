//go:build linux

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

const recordKeys = `id ref parent environment label tags priority state exitState lifecycle paused pausedAt error exit outcome
	code command options output stdout stderr stdoutBytes stderrBytes phase progress run enforced usage notify createdAt startedAt completedAt`

const runKeys = `run exitState error exit outcome usage stdoutBytes stderrBytes startedAt completedAt`

// heavyKeys are those that list items leave out.
const heavyKeys = `code output stdout stderr`

func wantKeys(t testing.TB, got m, keys string) {
	t.Helper()
	for key := range strings.FieldsSeq(keys) {
		if _, ok := got[key]; !ok {
			t.Errorf("the key %q is missing in %v", key, got)
		}
	}
}

// Every key is there in every state, of one type, null where there is nothing.
func TestRecordInEachState(t *testing.T) {
	t.Parallel()
	d := start(t, "--concurrency", "fake=1")
	d.await(t, d.fake(t, "hang").id(), "running")
	stamp := regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
	lifecycles := m{"never": "created", "queued": "created", "running": "running", "terminating": "running"}
	for _, state := range strings.Fields("never queued running terminating success failed timeout canceled") {
		rec := d.record(t, d.inState(t, state))
		wantKeys(t, rec, recordKeys)
		active := state == "queued" || state == "running" || state == "terminating"
		over := !active && state != "never"
		lifecycle := "dead"
		if !over {
			lifecycle, _ = lifecycles[state].(string)
		}
		if rec.str("lifecycle") != lifecycle {
			t.Errorf("%s: lifecycle %q, want %q", state, rec.str("lifecycle"), lifecycle)
		}
		for _, key := range []string{"exitState", "exit", "outcome", "completedAt"} {
			if (rec[key] != nil) != over {
				t.Errorf("%s: %s is %v", state, key, rec[key])
			}
		}
		if started := state != "never" && state != "queued"; (rec["startedAt"] != nil) != started {
			t.Errorf("%s: startedAt is %v", state, rec["startedAt"])
		}
		if (rec["error"] != nil) != (state == "failed") && state != "timeout" {
			t.Errorf("%s: error is %v", state, rec["error"])
		}
		if want := int64(1); state == "never" && rec.num("run") != 0 || state != "never" && rec.num("run") != want {
			t.Errorf("%s: run %d", state, rec.num("run"))
		}
		for _, key := range []string{"createdAt", "startedAt", "completedAt"} {
			if s := rec.str(key); rec[key] != nil && !stamp.MatchString(s) {
				t.Errorf("%s: %s is %q", state, key, s)
			}
		}
		for _, key := range []string{"output", "options", "progress", "usage"} {
			if _, ok := rec[key].(map[string]any); !ok {
				t.Errorf("%s: %s is %v", state, key, rec[key])
			}
		}
		if _, ok := rec.obj("enforced")["missing"].([]any); rec["enforced"] != nil && !ok {
			t.Errorf("%s: enforced %v, want missing as a list", state, rec["enforced"])
		}
		wantKeys(t, rec.obj("usage"), "wallMs pausedMs cpuMs maxRssBytes tokens")
		if _, ok := rec["tags"].([]any); !ok || rec["stdout"] == nil || rec["stderr"] == nil || rec["paused"] != false {
			t.Errorf("%s: tags %v stdout %v stderr %v paused %v", state, rec["tags"], rec["stdout"], rec["stderr"], rec["paused"])
		}
	}
}

// The record holds the end of long output; the counts tell the truth.
func TestRecordTail(t *testing.T) {
	t.Parallel()
	d := shared(t)
	rec := d.sh(t, "seq 1 30000; seq 1 30001 >&2", block, m{"interpreter": "none"}).wantEnd(t, "success")
	for i, name := range []string{"stdout", "stderr"} {
		whole := d.get(t, path(rec.id(), "/"+name)).want(t, 200).body
		got := rec.str(name)
		if int64(len(whole)) != rec.num(name+"Bytes") || !bytes.HasSuffix(whole, []byte(itoa(int64(30000+i))+"\n")) {
			t.Errorf("%s: %d bytes, the record says %d", name, len(whole), rec.num(name+"Bytes"))
		}
		if len(got) > 65536 || len(got) < 65000 || !strings.HasSuffix(string(whole), got) {
			t.Errorf("the record's %s has %d bytes, or is not the end", name, len(got))
		}
	}
}

// A secret is never shown, logged or written in clear.
func TestSecretsStaySecret(t *testing.T) {
	t.Parallel()
	d := start(t)
	secrets := []string{"hunter2-env-XyZZy", "hunter2-stdin-XyZZy", "hunter2-clear-XyZZy"}
	events := d.follow(t, "/events", nil)
	var seen []string
	body := m{"environment": "command", "block": true, "command": m{"program": "sh", "args": []string{"-c", "cat >/dev/null; exit 4"},
		"env": m{"TOKEN": secrets[0], "OTHER": secrets[2]}, "stdin": secrets[1]}}
	a := d.do(t, request{method: "POST", path: "/processes", body: body, header: m{"Idempotency-Key": "k1"}}).want(t, 201)
	rec := a.json(t)
	seen = append(seen, string(a.body), string(d.do(t, request{method: "POST", path: "/processes", body: body, header: m{"Idempotency-Key": "k1"}}).want(t, 200).body))
	if env := rec.obj("command").obj("env"); env.str("TOKEN") != "•••" || env.str("OTHER") != "•••" || len(env) != 2 {
		t.Errorf("env %v", env)
	}
	for _, ev := range events.until("finalized", kind("finalized")) {
		text, _ := json.Marshal(ev)
		seen = append(seen, string(text))
	}
	seen = append(seen, string(d.post(t, path(rec.id(), "/signals/run"), m{"force": true, "block": true}).want(t, 200).body))
	bad := strings.Replace(mustJSON(t, body), `"block":true`, `"block":7`, 1)
	seen = append(seen, string(d.post(t, "/processes", bad).want(t, 400).body))
	bad = strings.Replace(mustJSON(t, body), secrets[0], secrets[0]+`\u0000`, 1)
	seen = append(seen, string(d.post(t, "/processes", bad).want(t, 400).body))
	for _, route := range []string{"", "/code", "/output", "/stdout", "/stderr", "/runs", "/runs/1", "/tree", "/events"} {
		seen = append(seen, string(d.get(t, path(rec.id(), route)).body))
	}
	seen = append(seen, string(d.get(t, "/processes?include=code,output,stdout,stderr").body), string(d.get(t, "/metrics").body))
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
				t.Errorf("%q is in %.200q", secret, text)
			}
		}
	}
}

func mustJSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
