package cli

import (
	"strings"
	"testing"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

func TestParseBudget(t *testing.T) {
	for text, want := range map[string]api.Budget{
		"tokens=10000": {Tokens: 10_000},
		"tokens=1,wall=30s,cpu=1m30s,children=5,depth=2": {Tokens: 1, WallMS: 30_000, CPUMS: 90_000, Children: 5, Depth: 2},
		" wall = 1d , ask ": {WallMS: 86_400_000, OnExceeded: "ask"},
		"stop,depth=1":      {Depth: 1, OnExceeded: "stop"},
	} {
		got, err := parseBudget(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
		again, err := parseBudget(budgetText(process.Budget(want)))
		want.OnExceeded = strings.TrimPrefix(want.OnExceeded, "stop") // the default is not shown
		if err != nil || again != want {
			t.Errorf("%q comes back as %+v, %v", text, again, err)
		}
	}
	for text, want := range map[string]string{
		"": "is not a budget", "ask": "it bounds nothing", "money=1": "is not a budget", "tokens": "is not a number", "tokens=0": "1 or more",
		"tokens=-1": "1 or more", "tokens=1.5": "is not a number", "wall=5": "is not a duration", "wall=0s": "too short", "cpu=1us": "too short",
		"tokens=1,tokens=2": "twice", "tokens=1,ask,stop": "once", "tokens=1,ask=yes": "without a value", "tokens=99999999999999999999": "is not a number",
		"tokens=1,": "is not a budget",
	} {
		if got, err := parseBudget(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v, want %q", text, got, err, want)
		}
	}
	if got := budgetText(process.Budget{Tokens: 5, Depth: -1, OnExceeded: "ask"}); got != "tokens=5,depth=0,ask" {
		t.Error(got)
	}
}
