//go:build linux

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A call waits until a person has decided, and only then reaches the service.
func TestApprovals(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	d := s.start(t, newBase(t), asking)
	p := d.withPeople(t)
	id := d.ts(t, deletes(3)).id()
	asked := d.pending(t, id)
	wantKeys(t, asked, "id process run call service tool params state requestedAt expiresAt decidedAt decidedBy reason")
	wantJSON(t, []any{asked["process"], asked["run"], asked["service"], asked["tool"], asked["state"], asked["decidedAt"], asked["decidedBy"], asked["reason"]}, fmt.Sprintf(`[%d,1,"shop","delete_pet","pending",null,null,null]`, id))
	wantJSON(t, d.approval(t, asked.id())["params"], `{"id":3}`)
	if rec := d.record(t, id); rec.state() != "running" || rec["exitState"] != nil || len(s.called()) != 0 {
		t.Errorf("while it waits: %s, the service was called %q", rec.state(), s.called())
	}
	got := d.decide(t, p.approve, asked.id(), "approve", m{"reason": "as agreed"}).want(t, 200).json(t)
	wantJSON(t, []any{got["id"], got["state"], got["decidedBy"], got["reason"]}, fmt.Sprintf(`[%d,"approved","the-approve","as agreed"]`, asked.id()))
	if rec := d.await(t, id, "idle").wantEnd(t, "success"); rec.str("stdout") != "done /pets/3\n" {
		t.Errorf("stdout %q", rec.str("stdout"))
	}
	if !slices.Equal(s.called(), []string{"DELETE /pets/3"}) {
		t.Errorf("the service was called %q", s.called())
	}
	for _, verdict := range []string{"approve", "deny"} {
		d.decide(t, p.approve, asked.id(), verdict, nil).want(t, 409, "already_decided")
	}
	denied := d.ts(t, deletes(4)).id()
	asked = d.pending(t, denied)
	d.decide(t, p.approve, asked.id(), "deny", m{"reason": "not today, thanks"}).want(t, 200)
	if rec := d.await(t, denied, "idle").wantEnd(t, "success"); !strings.HasPrefix(rec.str("stdout"), "true denied ") || !strings.Contains(rec.str("stdout"), "not today, thanks") {
		t.Errorf("stdout %q", rec.str("stdout"))
	}
	if len(s.called()) != 1 {
		t.Errorf("a denied call reached the service: %q", s.called())
	}
	for i, id := range []int64{id, denied} {
		events := d.events(t, id)
		wantOrder(t, events, "process_started", "approval_requested", "approval_decided", "finalized")
		text := mustJSON(t, events)
		if state := []string{"approved", "denied"}[i]; !strings.Contains(text, state) || !strings.Contains(text, "the-approve") || !strings.Contains(text, "delete_pet") {
			t.Errorf("the events do not tell %s, by whom or about what: %s", state, text)
		}
	}
}

// Only the scope approve decides, everywhere.
func TestApprovalScopes(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	d := s.start(t, newBase(t), asking)
	first := d.ts(t, deletes(1)).id() // no token exists yet
	asked := d.pending(t, first)
	d.decide(t, "", asked.id(), "approve", nil).want(t, 401, "unauthorized")
	d.socket(t, "POST", fmt.Sprintf("/approvals/%d/approve", asked.id()), nil).want(t, 401, "unauthorized")
	p := d.withPeople(t)
	for _, socket := range []bool{false, true} {
		for _, verdict := range []string{"approve", "deny"} {
			at := fmt.Sprintf("/approvals/%d/%s", asked.id(), verdict)
			for token, want := range map[string]int{"": 401, "wrong" + p.approve[5:]: 401, p.run: 403, p.read: 403, p.admin: 403} {
				code := map[int]string{401: "unauthorized", 403: "forbidden"}[want]
				d.do(t, request{method: "POST", path: at, header: bearer(token), socket: socket}).want(t, want, code)
			}
		}
	}
	for _, token := range []string{p.run, p.read, p.admin, p.approve} {
		d.do(t, request{method: "GET", path: "/approvals", header: bearer(token)}).want(t, 200)
		d.do(t, request{method: "GET", path: "/tools", header: bearer(token)}).want(t, 200)
	}
	d.do(t, request{method: "GET", path: "/approvals", header: bearer("")}).want(t, 401, "unauthorized")
	d.do(t, request{method: "POST", path: "/processes", body: m{"code": ""}, header: bearer(p.approve)}).want(t, 403, "forbidden")
	if got := d.approval(t, asked.id()); got.str("state") != "pending" || len(s.called()) != 0 {
		t.Fatalf("after the refusals: %v, called %q", got, s.called())
	}
	d.do(t, request{method: "POST", path: fmt.Sprintf("/approvals/%d/approve", asked.id()), header: bearer(p.approve), socket: true}).want(t, 200)
	d.await(t, first, "idle").wantEnd(t, "success")
}

// Lists are filtered and paged, newest first; ids are checked.
func TestApprovalRoutes(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	d := s.start(t, newBase(t), asking)
	p := d.withPeople(t)
	id := d.ts(t, "await Promise.allSettled([1, 2, 3, 4, 5].map((id) => reeve.services.shop.tools.delete_pet({ id })))").id()
	var all []m
	waitFor(t, "five approvals", func() bool { all = d.approvals(t, ""); return len(all) == 5 })
	other := d.ts(t, deletes(9)).id()
	last := d.pending(t, other)
	var ids []int64
	for next := ""; ; {
		page := d.get(t, "/approvals?limit=2"+next).want(t, 200).json(t)
		for _, a := range page.list("approvals") {
			ids = append(ids, a.id())
		}
		if page["nextCursor"] == nil {
			break
		}
		if len(page.list("approvals")) != 2 {
			t.Fatalf("a page of %d with more to come", len(page.list("approvals")))
		}
		next = "&cursor=" + page.str("nextCursor")
	}
	if len(ids) != 6 || ids[0] != last.id() || !slices.IsSortedFunc(ids, func(a, b int64) int { return int(b - a) }) {
		t.Errorf("page by page: %v", ids)
	}
	d.decide(t, p.approve, ids[5], "approve", nil).want(t, 200)
	d.decide(t, p.approve, ids[4], "deny", nil).want(t, 200)
	for query, want := range map[string]int{"state=pending": 4, "state=approved": 1, "state=denied": 1, "state=expired": 0, "state=canceled": 0, "": 6, fmt.Sprintf("process=%d", id): 5, fmt.Sprintf("state=pending&process=%d", other): 1} {
		if got := d.approvals(t, query); len(got) != want {
			t.Errorf("?%s: %d, want %d", query, len(got), want)
		}
	}
	for _, query := range []string{"state=", "state=open", "limit=0", "limit=-1", "limit=1001", "limit=x", "cursor=", "cursor=nonsense", "process=0", "process=x", "nothing=1"} {
		name, _, _ := strings.Cut(query, "=")
		d.get(t, "/approvals?"+query).want(t, 400, "invalid_request").naming(t, name)
	}
	for _, bad := range []string{"0", "-1", "abc", "1x", "1.5", "99999999999999999999"} {
		d.get(t, "/approvals/"+bad).want(t, 400, "invalid_request")
		for _, verdict := range []string{"approve", "deny"} {
			d.do(t, request{method: "POST", path: "/approvals/" + bad + "/" + verdict, header: bearer(p.approve)}).want(t, 400, "invalid_request")
		}
	}
	d.get(t, "/approvals/987654").want(t, 404, "not_found")
	d.decide(t, p.approve, 987654, "approve", nil).want(t, 404, "not_found")
	for body, field := range map[string]string{`{"reason":5}`: "reason", `{"x":1}`: "x", `[]`: "", `{`: ""} {
		d.decide(t, p.approve, last.id(), "approve", body).want(t, 400, "invalid_request").naming(t, field)
	}
	d.do(t, request{method: "GET", path: fmt.Sprintf("/approvals/%d/approve", last.id())}).want(t, 405, "method_not_allowed")
	d.do(t, request{method: "DELETE", path: fmt.Sprintf("/approvals/%d", last.id())}).want(t, 405, "method_not_allowed")
	if got := d.approval(t, last.id()); got.str("state") != "pending" {
		t.Errorf("after bad requests it is %v", got)
	}
	d.kill(t, id, block)
}
