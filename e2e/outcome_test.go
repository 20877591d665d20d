//go:build linux

package e2e

import (
	"bytes"
	"encoding/json"
	"testing"
)

// How commands end, in numbers and as verdicts.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	d := shared(t)
	for name, c := range map[string]struct {
		body                     m
		exitState, exit, outcome string
	}{
		"completed":   {m{"code": "true"}, "success", `{"code":0,"reason":"completed","signal":null}`, `{"kind":"succeeded","summary":null,"findings":[],"survivors":[]}`},
		"exit status": {m{"code": "exit 7"}, "failed", `{"code":7,"reason":"exit status 7","signal":null}`, `{"kind":"failed","reason":{"code":7,"kind":"non_zero_exit"},"summary":null,"findings":[],"survivors":[]}`},
		"signal":      {m{"code": "kill -9 $$"}, "failed", `{"code":137,"reason":"signal: killed","signal":"SIGKILL"}`, `{"kind":"failed","reason":{"kind":"signal","signal":"SIGKILL"},"summary":null,"findings":[],"survivors":[]}`},
		"no program":  {m{"command": m{"program": "/no/such/program"}}, "failed", "", ""},
		"no folder":   {m{"command": m{"program": "true", "cwd": "/no/such/folder"}}, "failed", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			rec := d.create(t, with(m{"environment": "command", "block": true, "interpreter": "none"}, c.body)).wantEnd(t, c.exitState)
			if (rec["error"] != nil) != (c.exitState == "failed") {
				t.Errorf("error %v", rec["error"])
			}
			if c.exit == "" {
				if reason := rec.obj("outcome").obj("reason"); reason.str("kind") != "spawn_failed" || reason.str("error") == "" || rec["startedAt"] != nil {
					t.Errorf("outcome %v, startedAt %v", rec["outcome"], rec["startedAt"])
				}
				return
			}
			wantJSON(t, rec["exit"], c.exit)
			wantJSON(t, rec["outcome"], c.outcome)
		})
	}
	canceled := d.record(t, d.ended(t, "canceled"))
	if e := canceled.obj("exit"); e.num("code") != 130 || e.str("reason") != "canceled" || canceled["error"] != nil || canceled.obj("outcome").str("kind") != "cancelled" {
		t.Errorf("canceled: exit %v, error %v, outcome %v", e, canceled["error"], canceled["outcome"])
	}
	timeout := d.record(t, d.ended(t, "timeout"))
	if e := timeout.obj("exit"); e.num("code") != 124 || e.str("reason") != "timeout" || timeout.obj("outcome").obj("reason").str("kind") != "timeout" {
		t.Errorf("timeout: exit %v, outcome %v", e, timeout["outcome"])
	}
	thrown := d.record(t, d.ended(t, "failed"))
	if thrown.str("error") != "no luck" || thrown.obj("exit").num("code") != 1 || thrown.obj("exit").str("reason") != "no luck" {
		t.Errorf("failed: error %v, exit %v", thrown["error"], thrown["exit"])
	}
}

// wantJSON compares by value and shows where the two begin to differ.
func wantJSON(t testing.TB, got any, want string) {
	t.Helper()
	var parsed any
	if err := json.Unmarshal([]byte(want), &parsed); err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(parsed)
	if bytes.Equal(a, b) {
		return
	}
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	t.Errorf("at byte %d\ngot  …%.200s\nwant …%.200s", at, a[max(0, at-40):], b[max(0, at-40):])
}
