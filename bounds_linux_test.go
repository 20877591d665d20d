package reeve_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/keeper"
)

// Limits, sandbox and requirements of a Task hold, and are told by its record.
func TestTaskBounds(t *testing.T) {
	rt := open(t, reeve.Config{})
	task := reeve.Sh(`ulimit -n; pwd; cat /etc/shadow && echo read`).Dir(t.TempDir()).
		Limits(reeve.Limits{OpenFiles: 50}).Sandbox(reeve.Sandboxed).Require("openFiles", "tree-kill")
	p, err := rt.Spawn(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	rec := record(t, rt, p.ID())
	if e := rec.Enforced; e == nil || !slices.Contains(e.Confined, "openFiles") || e.TreeKill == "" || slices.Contains(e.Confined, "tree-kill") {
		t.Errorf("%+v", rec.Enforced)
	}
	if o := rec.Options; o.Sandbox != reeve.Sandboxed || len(o.Require) != 2 || o.Limits.OpenFiles != 50 {
		t.Errorf("%+v", o)
	}
	var out strings.Builder
	if _, err := rt.WriteOutput(t.Context(), &out, p.ID(), 0, reeve.Stdout); err != nil || !strings.HasPrefix(out.String(), "50\n/") || strings.Contains(out.String(), "read") {
		t.Errorf("%q, %v", out.String(), err)
	}
	for _, bad := range []*reeve.Task{reeve.Command("true").Require("magic"), reeve.Command("true").Sandbox("open"), reeve.Command("true").Limits(reeve.Limits{CPUMS: -1}),
		reeve.Func("f", nil).Sandbox(reeve.Confined), reeve.Command("true").Dir("/").Sandbox(reeve.Sandboxed)} {
		if _, err := rt.Spawn(t.Context(), bad); err == nil {
			t.Errorf("%+v is taken", bad.Spec())
		}
	}
}

// What can be required is what the API's description names.
func TestRequirableIsDescribed(t *testing.T) {
	f, _ := reflect.TypeFor[api.Options]().FieldByName("Require")
	for _, name := range keeper.Features() {
		if !strings.Contains(f.Tag.Get("doc"), name) {
			t.Errorf("%s is not described", name)
		}
	}
}
