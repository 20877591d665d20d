package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/env/envfake"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/server"
	"github.com/reeverun/reeve/token"
	"github.com/reeverun/reeve/tool"
	"github.com/reeverun/reeve/tool/function"
)

// shop serves a runtime whose programs can call a tool that asks. Its clients
// may run, and decide.
func shop(t *testing.T) (runs, decides *client.Client) {
	t.Helper()
	policy, err := tool.NewPolicy(tool.Rule{Pattern: "pets/*", Permission: process.Ask})
	if err != nil {
		t.Fatal(err)
	}
	tools := tool.New(tool.Config{Policy: policy})
	if err := tools.Add("pets", function.New("A shop.", function.Tool{Name: "delete", Description: "Deletes.",
		Fn: func(_ context.Context, p json.RawMessage) (any, error) { return p, nil }})); err != nil {
		t.Fatal(err)
	}
	tools.Start(t.Context())
	rt, err := reeve.Open(t.Context(), reeve.Config{Tools: tools, Environments: map[string]reeve.Environment{"typescript": new(envfake.Env)}})
	if err != nil {
		t.Fatal(err)
	}
	tokens := token.Open(filepath.Join(t.TempDir(), "tokens"))
	s, err := server.New(server.Config{Runtime: rt, Tools: tools, Tokens: tokens})
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewServer(s.Handler(server.TCP))
	t.Cleanup(func() {
		s.Stop()
		ts.Close()
		if err := errors.Join(rt.Close(), tools.Close()); err != nil {
			t.Error(err)
		}
	})
	with := func(scope token.Scope) *client.Client {
		secret, _, err := tokens.Create(string(scope), []token.Scope{scope}, 0)
		if err != nil {
			t.Fatal(err)
		}
		c := newClient(t, client.Config{Host: ts.URL, Token: secret, Patience: -1})
		t.Cleanup(c.Close)
		return c
	}
	return with(token.ScopeRun), with(token.ScopeApprove)
}

func TestRealTools(t *testing.T) {
	c, _ := shop(t)
	ctx := testContext(t)
	services, err := c.Services(ctx)
	if err != nil || len(services) != 2 || services[0].Name != "pets" {
		t.Errorf("%+v, %v", services, err)
	}
	for q, want := range map[client.ToolQuery]int{{}: 2, {Words: "deletes"}: 1, {Service: "pets"}: 1, {Limit: 1}: 1, {Service: "no"}: 0} {
		var all []api.Tool
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) { // until it is connected
			if all, err = c.Tools(ctx, q); err != nil || len(all) == want {
				break
			}
		}
		if err != nil || len(all) != want {
			t.Errorf("%+v: %+v, %v", q, all, err)
		}
	}
	one, err := c.Tool(ctx, "pets", "delete")
	if err != nil || one.Permission != process.Ask || one.Declaration == "" || string(one.Params) == "" {
		t.Errorf("%+v, %v", one, err)
	}
	for _, name := range []string{"no", "a/b", "..", "?"} {
		if _, err := c.Tool(ctx, "pets", name); !errors.Is(err, process.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRealApprovals(t *testing.T) {
	c, boss := shop(t)
	ctx := testContext(t)
	script := "call pets delete {\"id\":1}"
	decide := func(state process.ApprovalState, do func(context.Context, process.ApprovalID, api.Decision) (process.Approval, error)) {
		t.Helper()
		rec, err := c.Create(ctx, api.Create{Code: &script}, client.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var page api.Approvals
		for len(page.Approvals) == 0 {
			if page, err = c.Approvals(ctx, process.ApprovalQuery{Process: rec.ID, State: process.ApprovalPending, Limit: 10}); err != nil {
				t.Fatal(err)
			}
		}
		id := page.Approvals[0].ID
		if _, err := c.Approve(ctx, id, api.Decision{}); code(err) != api.CodeForbidden {
			t.Errorf("run decides: %v", err)
		}
		a, err := do(ctx, id, api.Decision{Reason: "because"})
		if err != nil || a.State != state || *a.DecidedBy != "approve" || *a.Reason != "because" {
			t.Errorf("%+v, %v", a, err)
		}
		if _, err := do(ctx, id, api.Decision{}); !errors.Is(err, process.ErrDecided) {
			t.Error(err)
		}
		if _, err := c.Wait(ctx, rec.ID); err != nil {
			t.Error(err)
		}
	}
	decide(process.ApprovalApproved, boss.Approve)
	decide(process.ApprovalDenied, boss.Deny)
	page, err := c.Approvals(ctx, process.ApprovalQuery{Limit: 1})
	if err != nil || len(page.Approvals) != 1 || page.NextCursor == nil || *page.NextCursor != "2" {
		t.Fatalf("%+v, %v", page, err)
	}
	if page, err = c.Approvals(ctx, process.ApprovalQuery{Limit: 1, Before: 2}); err != nil || len(page.Approvals) != 1 || page.NextCursor != nil {
		t.Errorf("%+v, %v", page, err)
	}
	if a, err := c.Approval(ctx, 1); err != nil || a.State != process.ApprovalApproved || string(a.Params) != `{"id":1}` {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := c.Approval(ctx, 99); !errors.Is(err, process.ErrNotFound) {
		t.Error(err)
	}
}

// code is that of an error.
func code(err error) process.Code {
	var e *process.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}
