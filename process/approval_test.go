package process_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/process"
)

func TestApprovalIDs(t *testing.T) {
	if id, err := process.ParseApprovalID("17"); err != nil || id != 17 || id.String() != "17" {
		t.Errorf("%v, %v", id, err)
	}
	for _, s := range []string{"", "0", "-1", "1x", "007", "99999999999999999999"} {
		if _, err := process.ParseApprovalID(s); !errors.Is(err, process.ErrInvalid) || !strings.Contains(err.Error(), "approval") {
			t.Errorf("%q: %v", s, err)
		}
	}
}

func TestApprovalQueries(t *testing.T) {
	q, err := process.ApprovalQuery{}.Normalize()
	if err != nil || q.Limit != process.DefaultLimit {
		t.Errorf("%+v, %v", q, err)
	}
	for field, q := range map[string]process.ApprovalQuery{
		"limit": {Limit: process.MaxLimit + 1}, "state": {State: "perhaps"}} {
		_, err := q.Normalize()
		if pe := (*process.Error)(nil); !errors.As(err, &pe) || pe.Field != field {
			t.Errorf("%+v: %v", q, err)
		}
	}
	a := &process.Approval{Process: 3, State: process.ApprovalDenied}
	for q, want := range map[process.ApprovalQuery]bool{
		{}: true, {Process: 3}: true, {Process: 4}: false, {State: process.ApprovalDenied}: true,
		{State: process.ApprovalPending}: false, {State: process.ApprovalPending, Process: 3}: false} {
		if q.Matches(a) != want {
			t.Errorf("%+v", q)
		}
	}
}

// Every key is there, also of an approval that waits.
func TestApprovalOnTheWire(t *testing.T) {
	at := time.Date(2026, 6, 24, 12, 0, 0, 5e6, time.UTC)
	b, err := json.Marshal(process.Approval{ID: 1, Process: 2, Run: 3, Call: 4, Service: "s", Tool: "t",
		State: process.ApprovalPending, RequestedAt: at, ExpiresAt: at})
	want := `{"id":1,"process":2,"run":3,"call":4,"service":"s","tool":"t","params":null,"state":"pending",` +
		`"requestedAt":"2026-06-24T12:00:00.005Z","expiresAt":"2026-06-24T12:00:00.005Z","decidedAt":null,"decidedBy":null,"reason":null}`
	if err != nil || string(b) != want {
		t.Errorf("%s, %v", b, err)
	}
}

func TestApprovalCloneSharesNothing(t *testing.T) {
	at, by := time.Now(), "anna"
	a := process.Approval{Params: json.RawMessage("[1]"), DecidedAt: &at, DecidedBy: &by, Reason: &by}
	c := a.Clone()
	if !reflect.DeepEqual(a, c) || c.DecidedAt == a.DecidedAt || c.DecidedBy == a.DecidedBy || &c.Params[0] == &a.Params[0] {
		t.Errorf("%+v", c)
	}
}

func TestOptionsOfPrograms(t *testing.T) {
	for want, o := range map[string]process.Options{
		`{"timeoutMs":null}`:            {Timeout: process.NoTimeout},
		`{"timeoutMs":null,"tools":[]}`: {Timeout: process.NoTimeout, Tools: []string{}}, // none, not any
		`{"timeoutMs":5,"limits":{"memoryBytes":1,"cpuMs":2},"jit":false,"tools":["a/*"]}`: {Timeout: 5 * time.Millisecond,
			Limits: process.Limits{MemoryBytes: 1, CPUMS: 2}, NoJIT: true, Tools: []string{"a/*"}},
	} {
		b, err := json.Marshal(o)
		if err != nil || string(b) != want {
			t.Errorf("%s, %v; want %s", b, err, want)
		}
		var back process.Options
		if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(back, o) {
			t.Errorf("%s came back as %+v, %v", b, back, err)
		}
	}
}

func TestToolErrorSpeaks(t *testing.T) {
	var err error = &process.ToolError{Code: process.ToolDenied, Message: "no"}
	if err.Error() != "no" {
		t.Error(err)
	}
}
