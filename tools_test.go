package reeve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/process"
)

// petShop has two tools: anybody may look, a person decides about removing.
type petShop struct{}

func (petShop) Check(_ context.Context, c reeve.ToolCall) (reeve.Permission, error) {
	switch c.Service + "/" + c.Tool {
	case "pets/look":
		return reeve.Allow, nil
	case "pets/remove":
		return reeve.Ask, nil
	}
	return "", &reeve.ToolError{Code: process.ToolNotFound, Message: "there is no tool " + c.Service + "/" + c.Tool}
}

func (petShop) Call(_ context.Context, c reeve.ToolCall) (json.RawMessage, error) {
	return json.RawMessage(`{"done":"` + c.Tool + `"}`), nil
}

// remove is a function that removes a pet, and says what came of it.
func remove(ctx context.Context, c *reeve.FuncCall) error {
	result, err := c.Tool(ctx, "pets", "remove", map[string]string{"token": "s3cret-of-the-call"})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.Stdout, "%s\n", result)
	return err
}

// pendingApproval waits until there is one.
func pendingApproval(t testing.TB, rt *reeve.Runtime) reeve.Approval {
	t.Helper()
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		list, err := rt.Approvals(t.Context(), reeve.ApprovalQuery{State: reeve.ApprovalPending})
		if err != nil {
			t.Fatal(err)
		}
		if len(list) > 0 {
			return list[0]
		}
	}
	t.Fatal("nobody is asked")
	return reeve.Approval{}
}

func TestFunctionCallsTools(t *testing.T) {
	rt := open(t, reeve.Config{Tools: petShop{}})
	rec := finish(t, rt, reeve.Func("look", func(ctx context.Context, c *reeve.FuncCall) error {
		if result, err := c.Tool(ctx, "pets", "look", nil); err != nil || string(result) != `{"done":"look"}` {
			return fmt.Errorf("look: %s, %w", result, err)
		}
		_, err := c.Tool(ctx, "pets", "sell", nil)
		if te := (*reeve.ToolError)(nil); !errors.As(err, &te) || te.Code != process.ToolNotFound {
			return fmt.Errorf("sell: %w", err)
		}
		_, err = c.Tool(ctx, "pets", "look", func() {})
		if err == nil || !strings.Contains(err.Error(), "parameters of pets/look") {
			return fmt.Errorf("no JSON: %w", err)
		}
		return nil
	}))
	if rec.ExitState != process.ExitSuccess {
		t.Errorf("%s: %s", rec.ExitState, rec.Error)
	}
}

// The parameters a person sees are nowhere on disk in clear, and a decision
// outlives the runtime.
func TestApprovalIsKeptAndSealed(t *testing.T) {
	dir := t.TempDir()
	rt := open(t, reeve.Config{Dir: dir, Tools: petShop{}})
	h := spawn(t, rt, reeve.Func("remove", remove))
	a := pendingApproval(t, rt)
	if a.Process != h.ID() || string(a.Params) != `{"token":"s3cret-of-the-call"}` {
		t.Errorf("%+v", a)
	}
	if _, err := rt.Decide(t.Context(), a.ID, true, "anna", "go ahead"); err != nil {
		t.Fatal(err)
	}
	if o := wait(t, h); !o.Succeeded() {
		t.Errorf("%+v", o)
	}
	if got := output(t, rt, h.ID(), reeve.Stdout); got != "{\"done\":\"remove\"}\n" {
		t.Errorf("printed %q", got)
	}
	noSecretIn(t, dir)
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	noSecretIn(t, dir)

	rt = open(t, reeve.Config{Dir: dir, Tools: petShop{}})
	got, err := rt.Approval(t.Context(), a.ID)
	if err != nil || got.State != reeve.ApprovalApproved || *got.DecidedBy != "anna" || *got.Reason != "go ahead" || !bytes.Equal(got.Params, a.Params) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := rt.Decide(t.Context(), a.ID, false, "otto", ""); !errors.Is(err, reeve.ErrDecided) {
		t.Errorf("decided again: %v", err)
	}
	if _, err := rt.Delete(t.Context(), h.ID()); err != nil {
		t.Fatal(err)
	}
	if _, err := rt.Approval(t.Context(), a.ID); !errors.Is(err, reeve.ErrNotFound) {
		t.Errorf("it outlived its process: %v", err)
	}
}

func noSecretIn(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte("s3cret")) {
			t.Errorf("%s holds the parameters in clear", d.Name())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// askingHost has a function that waits for a person, until it is killed.
func askingHost() int {
	ctx := context.Background()
	rt, err := reeve.Open(ctx, reeve.Config{Dir: os.Getenv("REEVE_TEST_DIR"), Tools: petShop{}})
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	h, err := rt.Spawn(ctx, reeve.Func("remove", remove))
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	for ev := range h.Events(ctx) {
		if d, ok := ev.Data.(process.ApprovalRequested); ok {
			fmt.Println(h.ID(), d.Approval)
		}
	}
	return 0
}

// The program that asked died with its host: nobody is asked for it any more.
func TestHostKilledWhileAsked(t *testing.T) {
	dir := t.TempDir()
	host, line := startHost(t, "asking", dir)
	if line != "1 1" {
		t.Fatalf("host: %q", line)
	}
	if err := host.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = host.Wait()
	rt := open(t, reeve.Config{Dir: dir, Tools: petShop{}})
	a, err := rt.Approval(t.Context(), 1)
	if err != nil || a.State != reeve.ApprovalCanceled || *a.Reason != process.ErrHostExited {
		t.Errorf("%+v, %v", a, err)
	}
	if rec := record(t, rt, 1); rec.Error != process.ErrHostExited {
		t.Errorf("%s: %s", rec.ExitState, rec.Error)
	}
	all := events(t, rt, 1)
	gapless(t, all)
	if n := len(all); all[n-1].Kind != process.KindFinalized || all[n-3].Kind != process.KindApprovalDecided {
		t.Errorf("events end with %s", all[n-1].Kind)
	}
	spawn(t, rt, reeve.Func("remove", remove))
	if next := pendingApproval(t, rt); next.ID != 2 {
		t.Errorf("the next one is %d", next.ID)
	}
}
