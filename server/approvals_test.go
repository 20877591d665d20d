package server_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/server"
	"github.com/reeverun/reeve/token"
)

type approvalPage struct {
	Approvals  []process.Approval
	NextCursor *string
}

// ask starts a program that waits for an approval and returns both.
func ask(t testing.TB, ts *httptest.Server, id int) (process.ID, process.Approval) {
	t.Helper()
	r := do(t, ts, "POST", "/processes", fmt.Sprintf(`{"code":"call pets delete_pet {\"id\":%d}"}`, id))
	if r.status != 201 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	p := process.ID(r.json(t)["id"].(float64))
	var page approvalPage
	eventually(t, "it asks", func() bool {
		decode(t, do(t, ts, "GET", fmt.Sprintf("/approvals?state=pending&process=%d", p), ""), &page)
		return len(page.Approvals) == 1
	})
	return p, page.Approvals[0]
}

func secret(t testing.TB, tokens *token.File, name string, scopes ...token.Scope) string {
	t.Helper()
	s, _, err := tokens.Create(name, scopes, 0)
	if err != nil {
		t.Fatal(err)
	}
	return "Bearer " + s
}

// stdout waits for the end of a process and returns what it printed.
func stdout(t testing.TB, ts *httptest.Server, id process.ID, auth string) (text string) {
	t.Helper()
	eventually(t, "it ends", func() bool {
		r := do(t, ts, "GET", fmt.Sprintf("/processes/%d/stdout", id), "", "Authorization", auth)
		text = r.body
		return r.status == 200
	})
	return text
}

func TestApprove(t *testing.T) {
	ts, tokens := withTools(t)
	p, a := ask(t, ts, 7)
	if a.Tool != "delete_pet" || string(a.Params) != `{"id":7}` || a.State != process.ApprovalPending || a.DecidedAt != nil || !a.ExpiresAt.After(a.RequestedAt) {
		t.Errorf("%+v", a)
	}
	auth := secret(t, tokens, "ada", token.ScopeApprove)
	r := do(t, ts, "POST", "/approvals/"+a.ID.String()+"/approve", "", "Authorization", auth)
	m := r.json(t)
	if r.status != 200 || m["state"] != "approved" || m["decidedBy"] != "ada" || m["reason"] != nil || m["decidedAt"] == nil {
		t.Errorf("%d %s", r.status, r.body)
	}
	if text := stdout(t, ts, p, auth); text != "{\"id\":7}\n" {
		t.Errorf("%q", text)
	}
	for _, verb := range []string{"approve", "deny"} {
		r := do(t, ts, "POST", "/approvals/"+a.ID.String()+"/"+verb, "", "Authorization", auth)
		if r.status != 409 || r.json(t)["code"] != "already_decided" || !strings.Contains(r.body, "ada") {
			t.Errorf("%d %s", r.status, r.body)
		}
	}
	var again process.Approval
	decode(t, do(t, ts, "GET", "/approvals/"+a.ID.String(), "", "Authorization", auth), &again)
	if again.State != process.ApprovalApproved || string(again.Params) != `{"id":7}` {
		t.Errorf("%+v", again)
	}
}

func TestDenyWithAReason(t *testing.T) {
	ts, tokens := withTools(t)
	p, a := ask(t, ts, 7)
	auth := secret(t, tokens, "", token.ScopeApprove)
	r := do(t, ts, "POST", "/approvals/"+a.ID.String()+"/deny", `{"reason":"it is my favourite"}`, "Authorization", auth)
	if m := r.json(t); r.status != 200 || m["state"] != "denied" || m["reason"] != "it is my favourite" || m["decidedBy"] == "" || m["decidedBy"] == nil {
		t.Errorf("%d %s", r.status, r.body)
	}
	if text := stdout(t, ts, p, auth); !strings.HasPrefix(text, "denied: ") || !strings.Contains(text, "it is my favourite") {
		t.Errorf("%q", text)
	}
}

// Who starts programs cannot wave through what they ask for, however he comes.
func TestOnlyTheScopeApproveDecides(t *testing.T) {
	r, tokens := petShop(t), token.Open(t.TempDir()+"/tokens")
	rt, err := reeve.Open(t.Context(), reeve.Config{Tools: r, Environments: fakes()})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	for _, file := range []*token.File{nil, tokens} {
		s, err := server.New(server.Config{Runtime: rt, Tools: r, Tokens: file})
		if err != nil {
			t.Fatal(err)
		}
		for _, transport := range []server.Transport{server.Socket, server.TCP, server.Public} {
			ts := httptest.NewServer(s.Handler(transport))
			for _, path := range []string{"/approvals/1/approve", "/approvals/1/deny"} {
				for _, auth := range []string{"", "Bearer nonsense", "Basic x"} {
					r := do(t, ts, "POST", path, "", "Authorization", auth)
					if r.status != 401 || !strings.Contains(r.body, "reeve token create --scope approve") || r.header.Get("WWW-Authenticate") == "" {
						t.Errorf("%v: %d %s", transport, r.status, r.body)
					}
				}
			}
			ts.Close()
		}
	}
	s, err := server.New(server.Config{Runtime: rt, Tools: r, Tokens: tokens})
	if err != nil {
		t.Fatal(err)
	}
	all := []string{secret(t, tokens, "", token.ScopeRun), secret(t, tokens, "", token.ScopeRead), secret(t, tokens, "", token.ScopeAdmin),
		secret(t, tokens, "", token.ScopeRun, token.ScopeAdmin, token.ScopeRead)}
	for _, transport := range []server.Transport{server.Socket, server.TCP, server.Public} {
		ts := httptest.NewServer(s.Handler(transport))
		for _, auth := range all {
			if r := do(t, ts, "POST", "/approvals/1/approve", "", "Authorization", auth); r.status != 403 || r.json(t)["code"] != "forbidden" {
				t.Errorf("%v: %d %s", transport, r.status, r.body)
			}
		}
		ts.Close()
	}
	// And who decides cannot start any.
	ts := httptest.NewServer(s.Handler(server.TCP))
	defer ts.Close()
	if r := do(t, ts, "POST", "/processes", `{"code":""}`, "Authorization", secret(t, tokens, "", token.ScopeApprove)); r.status != 403 {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestApprovalMistakes(t *testing.T) {
	ts, tokens := withTools(t)
	auth := secret(t, tokens, "ada", token.ScopeApprove)
	for path, want := range map[string]int{
		"/approvals/0": 400, "/approvals/-1": 400, "/approvals/abc": 400, "/approvals/01": 400, "/approvals/": 400, "/approvals/%20": 400, "/approvals/99": 404,
		"/approvals?state=odd": 400, "/approvals?process=0": 400, "/approvals?process=x": 400, "/approvals?limit=0": 400, "/approvals?limit=1001": 400,
		"/approvals?cursor=x": 400, "/approvals?state=": 400, "/approvals?colour=red": 400, "/approvals?process=77": 200, "/approvals?cursor=99": 200,
	} {
		if r := do(t, ts, "GET", path, "", "Authorization", auth); r.status != want {
			t.Errorf("GET %s: %d %s", path, r.status, r.body)
		}
	}
	for _, verb := range []string{"approve", "deny"} {
		for id, want := range map[string]int{"0": 400, "-1": 400, "abc": 400, "1x": 400, "99": 404} {
			if r := do(t, ts, "POST", "/approvals/"+id+"/"+verb, "", "Authorization", auth); r.status != want {
				t.Errorf("%s %s: %d %s", verb, id, r.status, r.body)
			}
		}
		_, a := askWith(t, ts, auth, tokens)
		for body, want := range map[string]string{`{"reason":1}`: "reason: is a number", `{"why":"x"}`: "why: is not a field", `[]`: "body", `{`: "body",
			`{"reason":"` + strings.Repeat("x", 2000) + `"}`: "reason", `{"reason":"` + strings.Repeat("é", 1000) + `"}`: "reason"} {
			r := do(t, ts, "POST", "/approvals/"+a.ID.String()+"/"+verb, body, "Authorization", auth)
			if r.status != 400 || !strings.Contains(r.body, want) {
				t.Errorf("%s: %d %s", body, r.status, r.body)
			}
		}
		if r := do(t, ts, "POST", "/approvals/"+a.ID.String()+"/"+verb, `{"reason":null}`, "Authorization", auth); r.status != 200 {
			t.Errorf("%d %s", r.status, r.body)
		}
	}
	if r := do(t, ts, "DELETE", "/approvals/1", "", "Authorization", auth); r.status != 405 {
		t.Errorf("%d %s", r.status, r.body)
	}
}

// askWith is ask where a token is needed to run.
func askWith(t testing.TB, ts *httptest.Server, auth string, tokens *token.File) (process.ID, process.Approval) {
	t.Helper()
	run := secret(t, tokens, "", token.ScopeRun)
	r := do(t, ts, "POST", "/processes", `{"code":"call pets delete_pet {\"id\":1}"}`, "Authorization", run)
	p := process.ID(r.json(t)["id"].(float64))
	var page approvalPage
	eventually(t, "it asks", func() bool {
		decode(t, do(t, ts, "GET", fmt.Sprintf("/approvals?process=%d", p), "", "Authorization", auth), &page)
		return len(page.Approvals) == 1
	})
	return p, page.Approvals[0]
}

// Of many decisions one is taken, and everybody is told the same.
func TestOneDecisionWins(t *testing.T) {
	ts, tokens := withTools(t)
	_, a := ask(t, ts, 1)
	auth := secret(t, tokens, "ada", token.ScopeApprove)
	var mu sync.Mutex
	count := map[int]int{}
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			r := do(t, ts, "POST", "/approvals/"+a.ID.String()+"/"+[]string{"approve", "deny"}[i%2], "", "Authorization", auth)
			mu.Lock()
			defer mu.Unlock()
			count[r.status]++
		})
	}
	all.Wait()
	if count[200] != 1 || count[409] != 15 {
		t.Error(count)
	}
}

func TestApprovalPages(t *testing.T) {
	ts, _ := withTools(t)
	for i := range 5 {
		ask(t, ts, i)
	}
	for limit, want := range map[int]string{1: "5|4|3|2|1", 2: "5,4|3,2|1", 5: "5,4,3,2,1", 100: "5,4,3,2,1"} {
		var pages []string
		for cursor := ""; ; {
			var page approvalPage
			decode(t, do(t, ts, "GET", fmt.Sprintf("/approvals?limit=%d%s", limit, cursor), ""), &page)
			var ids []string
			for _, a := range page.Approvals {
				ids = append(ids, a.ID.String())
			}
			pages = append(pages, strings.Join(ids, ","))
			if page.NextCursor == nil {
				break
			}
			cursor = "&cursor=" + *page.NextCursor
		}
		if got := strings.Join(pages, "|"); got != want {
			t.Errorf("limit %d: %s, want %s", limit, got, want)
		}
	}
	if r := do(t, ts, "GET", "/approvals?state=denied", ""); strings.TrimSpace(r.body) != `{"approvals":[],"nextCursor":null}` {
		t.Error(r.body)
	}
}

// An approval whose program is killed cannot be decided any more.
func TestKilledWhileAsking(t *testing.T) {
	ts, tokens := withTools(t)
	p, a := ask(t, ts, 1)
	if r := do(t, ts, "POST", fmt.Sprintf("/processes/%d/signals/kill", p), `{"block":true}`); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	auth := secret(t, tokens, "ada", token.ScopeApprove)
	if r := do(t, ts, "POST", "/approvals/"+a.ID.String()+"/approve", "", "Authorization", auth); r.status != 409 {
		t.Errorf("%d %s", r.status, r.body)
	}
	if m := do(t, ts, "GET", "/approvals/"+a.ID.String(), "", "Authorization", auth).json(t); m["state"] != "canceled" {
		t.Errorf("%v", m)
	}
}
