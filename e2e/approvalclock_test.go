//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// The first of many decisions counts, and only that.
func TestApprovalRace(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	d := s.start(t, newBase(t), asking)
	p := d.withPeople(t)
	id := d.ts(t, deletes(1)).id()
	asked := d.pending(t, id)
	results := make(chan answer)
	for i := range 10 {
		go func() {
			a, err := d.try(request{method: "POST", path: fmt.Sprintf("/approvals/%d/%s", asked.id(), []string{"approve", "deny"}[i%2]), header: bearer(p.approve)})
			if err != nil {
				t.Error(err)
			}
			results <- a
		}()
	}
	var won []m
	for range 10 {
		if a := <-results; a.status == 200 {
			won = append(won, a.json(t))
		} else {
			a.want(t, 409, "already_decided")
		}
	}
	rec := d.await(t, id, "idle").wantEnd(t, "success")
	if len(won) != 1 || (won[0].str("state") == "approved") != (rec.str("stdout") == "done /pets/1\n") || d.approval(t, asked.id()).str("state") != won[0].str("state") {
		t.Errorf("won %v, the program printed %q", won, rec.str("stdout"))
	}
}

// The clock of a program that waits for a person stands still.
func TestApprovalStopsTheClock(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	d := s.start(t, newBase(t), asking)
	p := d.withPeople(t)
	id := d.ts(t, deletes(1), m{"options": m{"timeout": 500}}).id()
	asked, since := d.pending(t, id), time.Now()
	waitFor(t, "a person to think", func() bool { return time.Since(since) > 1500*time.Millisecond })
	if rec := d.record(t, id); rec.state() != "running" || rec.obj("usage").num("wallMs") > 500 {
		t.Errorf("after a while it is %s/%s, usage %v", rec.state(), rec.exitState(), rec["usage"])
	}
	d.decide(t, p.approve, asked.id(), "approve", nil).want(t, 200)
	if rec := d.await(t, id, "idle").wantEnd(t, "success"); rec.str("stdout") != "done /pets/1\n" {
		t.Errorf("stdout %q", rec.str("stdout"))
	}
	id = d.ts(t, "await reeve.services.shop.tools.delete_pet({ id: 1 }); for (;;);", m{"options": m{"timeout": 300}}).id()
	d.decide(t, p.approve, d.pending(t, id).id(), "approve", nil).want(t, 200)
	d.await(t, id, "idle").wantEnd(t, "timeout") // and goes on afterwards
}

// What is asked is shown to who decides, and sealed everywhere else.
func TestApprovalParametersAreSealed(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	base := newBase(t)
	d := s.start(t, base, "policy:\n  - ask: shop/create_pet\n", "--log-level", "debug")
	p := d.withPeople(t)
	secret := "pArAm-Qz81-confidential"
	reversed := []rune(secret)
	slices.Reverse(reversed)
	id := d.ts(t, fmt.Sprintf("await reeve.services.shop.tools.create_pet({ name: [...%q].reverse().join('') })", string(reversed))).id()
	asked := d.pending(t, id)
	if got := d.approval(t, asked.id()).obj("params").str("name"); got != secret {
		t.Errorf("the approver is shown %q", got)
	}
	seen := map[string]string{}
	look := func(when string) {
		for _, file := range filesIn(base) {
			if content, err := os.ReadFile(file); err == nil {
				seen[when+" "+file] = string(content)
			}
		}
		seen["log "+when] = d.log.String()
	}
	look("pending")
	d.decide(t, p.approve, asked.id(), "approve", nil).want(t, 200)
	d.await(t, id, "idle").wantEnd(t, "success")
	for _, route := range []string{path(id, ""), path(id, "/events"), path(id, "/tree"), path(id, "/runs"), "/metrics"} {
		seen[route] = string(d.get(t, route).body)
	}
	for _, problem := range d.end() {
		t.Error(problem)
	}
	look("over")
	for where, text := range seen {
		if strings.Contains(text, secret) {
			t.Errorf("the parameters are in %s", where)
		}
	}
	if called := s.called(); len(called) != 1 || !json.Valid([]byte(strings.TrimPrefix(called[0], "POST /pets "))) {
		t.Errorf("called %q", called)
	}
}
