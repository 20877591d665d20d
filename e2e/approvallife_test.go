//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// Programs that wait for people take no slot.
func TestApprovalsTakeNoSlot(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	d := s.start(t, newBase(t), asking, "--concurrency", "typescript=2")
	p := d.withPeople(t)
	var waiting []int64
	for i := range 12 {
		waiting = append(waiting, d.ts(t, deletes(i)).id())
	}
	var asked []m
	waitFor(t, "all to ask", func() bool { asked = d.approvals(t, "state=pending"); return len(asked) == len(waiting) })
	d.wantStdout(t, "console.log('ran')", "ran\n")
	for _, a := range asked {
		d.decide(t, p.approve, a.id(), "approve", nil).want(t, 200)
	}
	for _, id := range waiting {
		d.await(t, id, "idle").wantEnd(t, "success")
	}
}

// A run that ends takes its questions with it.
func TestApprovalOfAKilledRun(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	d := s.start(t, newBase(t), asking)
	p := d.withPeople(t)
	id := d.ts(t, deletes(1)).id()
	asked := d.pending(t, id)
	rec := d.kill(t, id, block).wantEnd(t, "canceled")
	if rec.obj("exit").num("code") != 130 {
		t.Errorf("exit %v", rec["exit"])
	}
	if got := d.approval(t, asked.id()); got.str("state") != "canceled" || got["decidedAt"] == nil {
		t.Errorf("its approval is %v", got)
	}
	d.decide(t, p.approve, asked.id(), "approve", nil).want(t, 409, "already_decided")
	wantOrder(t, d.events(t, id), "approval_requested", "approval_decided", "finalized")

	id = d.ts(t, "reeve.services.shop.tools.delete_pet({ id: 1 }); await new Promise(r => setTimeout(r, 10)); throw new Error('gone')").id()
	d.await(t, id, "idle").wantEnd(t, "failed")
	for _, a := range d.approvals(t, fmt.Sprintf("process=%d", id)) {
		if a.str("state") != "canceled" {
			t.Errorf("the approval of a failed run is %v", a)
		}
	}
	id = d.ts(t, deletes(2)).id()
	asked = d.pending(t, id)
	d.delete(t, id).want(t, 409, "not_idle")
	d.signal(t, id, "pause", nil)
	d.decide(t, p.approve, asked.id(), "approve", nil).want(t, 200)
	if rec := d.record(t, id); rec.state() != "running" || rec["paused"] != true {
		t.Errorf("approved while paused: %s, paused %v", rec.state(), rec["paused"])
	}
	d.signal(t, id, "resume", nil)
	d.await(t, id, "idle").wantEnd(t, "success")
	d.delete(t, id).want(t, 200)
	if len(s.called()) != 1 {
		t.Errorf("the service was called %q", s.called())
	}
	if got := d.get(t, fmt.Sprintf("/approvals/%d", asked.id())); got.status != 404 && got.status != 200 {
		t.Errorf("the approval of a deleted process: %v", got)
	}
}

// Nobody decides: it expires.
func TestApprovalExpires(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	d := s.start(t, newBase(t), asking, "--approval-life", "1s")
	p := d.withPeople(t)
	id := d.ts(t, deletes(1)).id()
	if rec := d.await(t, id, "idle").wantEnd(t, "success"); !strings.HasPrefix(rec.str("stdout"), "true expired ") {
		t.Errorf("stdout %q", rec.str("stdout"))
	}
	asked := d.approvals(t, fmt.Sprintf("process=%d", id))
	if len(asked) != 1 || asked[0].str("state") != "expired" || len(s.called()) != 0 {
		t.Fatalf("%v, called %q", asked, s.called())
	}
	d.decide(t, p.approve, asked[0].id(), "approve", nil).want(t, 409, "already_decided")
}

// A daemon that dies, or stops, takes the questions with it.
func TestApprovalAcrossARestart(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"SIGTERM", "kill -9"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			s, base := newShop(t), newBase(t)
			d := s.start(t, base, asking)
			p := d.withPeople(t)
			id := d.ts(t, deletes(1)).id()
			asked := d.pending(t, id)
			want := "canceled"
			if how == "SIGTERM" {
				for _, problem := range d.end() {
					t.Error(problem)
				}
			} else {
				d.crash()
				want = "failed"
			}
			d = s.start(t, base, asking)
			d.token = p.run
			rec := d.record(t, id).wantEnd(t, want)
			if want == "failed" && rec.str("error") != "host process exited" {
				t.Errorf("error %v", rec["error"])
			}
			if got := d.approval(t, asked.id()); got.str("state") != "canceled" {
				t.Errorf("after %s it is %v", how, got)
			}
			wantJSON(t, d.approval(t, asked.id())["params"], `{"id":1}`)
			d.decide(t, p.approve, asked.id(), "approve", nil).want(t, 409, "already_decided")
			if len(s.called()) != 0 {
				t.Errorf("called %q", s.called())
			}
			next := d.ts(t, deletes(2)).id()
			if again := d.pending(t, next); again.id() <= asked.id() {
				t.Errorf("the id %d came after %d", again.id(), asked.id())
			}
		})
	}
}

// The command line: look, decide, be refused.
func TestApprovalsByCommandLine(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	d := s.start(t, newBase(t), asking)
	if got := d.reeve(t, "", "approvals"); got.code != 0 {
		t.Errorf("with none: %+v", got)
	}
	p := d.withPeople(t)
	exec := make(chan ran)
	go func() { exec <- d.reeve(t, "", "exec", "--ref", "mine", "-e", deletes(5)) }()
	var asked m
	waitFor(t, "an approval", func() bool {
		if all := d.approvals(t, "state=pending"); len(all) == 1 {
			asked = all[0]
		}
		return asked != nil
	})
	id := itoa(asked.id())
	if got := d.reeve(t, "", "approvals"); got.code != 0 || !strings.Contains(got.stdout, "shop/delete_pet") || !strings.Contains(got.stdout, id) {
		t.Errorf("approvals: %+v", got)
	}
	var shown m
	if got := d.reeve(t, "", "approvals", "--json"); json.Unmarshal([]byte(got.stdout), &shown) != nil || shown.id() != asked.id() || strings.Count(got.stdout, "\n") != 1 {
		t.Errorf("approvals --json: %+v", got)
	}
	if got := d.reeve(t, "", "approvals", "show", id); got.code != 0 || !strings.Contains(got.stdout, "5") || !strings.Contains(got.stdout, "pending") {
		t.Errorf("show: %+v", got)
	}
	if got := d.reeve(t, "", "approvals", "approve", id); got.code != 1 || !strings.Contains(got.stderr, "approve") {
		t.Errorf("with the scope run: %+v", got)
	}
	if got := d.reeve(t, "", "approvals", "deny", id, "--reason", "no thanks", "--token", p.approve); got.code != 0 {
		t.Errorf("deny: %+v", got)
	}
	if got := <-exec; got.code != 0 || !strings.HasPrefix(got.stdout, "true denied ") || !strings.Contains(got.stdout, "no thanks") || !strings.Contains(got.stderr, "approv") {
		t.Errorf("exec: %+v", got)
	}
	for args, code := range map[string]int{"approvals approve " + id: 1, "approvals deny 987654": 1, "approvals show 987654": 1, "approvals approve": 2, "approvals show x": 2, "approvals --state open": 2, "approvals -a": 0, "approvals -a --json": 0, "approvals --state denied --process mine": 0} {
		if got := d.reeve(t, "", append(strings.Fields(args), "--token", p.approve)...); got.code != code {
			t.Errorf("reeve %s: %+v, want %d", args, got, code)
		}
	}
}

// What a program asks for is a stranger's text: it does not reach the terminal
// of who looks as anything but text.
func TestApprovalsDoNotDriveTheTerminal(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	d := s.start(t, newBase(t), "policy:\n  - ask: shop/create_pet\n")
	p := d.withPeople(t)
	id := d.ts(t, "await reeve.services.shop.tools.create_pet({ name: '\\u001b[2J\\u001b]0;owned\\u0007evil\\r\\u202e\\u0000' })", m{"label": "\x1b[31mred"}).id()
	asked := itoa(d.pending(t, id).id())
	for _, args := range [][]string{{"approvals"}, {"approvals", "show", asked}, {"approvals", "--json"}, {"show", itoa(id)}, {"approvals", "deny", asked, "--reason", "\x1b[2J", "--token", p.approve}, {"approvals", "-a"}, {"approvals", "show", asked}, {"show", itoa(id)}, {"ps", "-a"}} {
		got := d.reeve(t, "", args...)
		text := got.stdout + got.stderr
		if strings.ContainsAny(text, "\x1b\x07\r\x00") || args[len(args)-1] != "--json" && strings.Contains(text, "\u202e") {
			t.Errorf("reeve %v: %q", args, text)
		}
	}
	d.await(t, id, "idle").wantEnd(t, "failed")
}
