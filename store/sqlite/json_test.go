package sqlite

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/reeverun/reeve/process"
)

// What is written by hand is what encoding/json would write.
func TestPayloadsByHand(t *testing.T) {
	text, signal, parent := `a"b`, "SIGKILL", process.ID(3)
	for _, p := range []process.Payload{
		process.ProcessQueued{},
		process.ProcessStarted{}, process.ProcessStarted{PID: 12},
		process.ProcessCreated{}, process.ProcessCreated{Environment: "x\n<ü>"}, process.ProcessCreated{Label: &text},
		process.ProcessCreated{Tags: []string{"a"}}, process.ProcessCreated{Parent: &parent},
		process.Exited{}, process.Exited{Code: -1}, process.Exited{Code: 137, Signal: &signal},
		process.Reaped{}, process.Reaped{Steps: []string{}}, process.Reaped{Steps: []string{"a", `"`, "\x00"}},
		process.Finalized{}, process.Finalized{Outcome: process.Outcome{Kind: process.OutcomeCancelled}},
		process.Finalized{Outcome: process.Outcome{Kind: process.OutcomeSucceeded, Summary: "s"}},
		process.Finalized{Outcome: process.Outcome{Findings: []process.Finding{{}}}},
	} {
		want, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := appendPayload(nil, p); ok && string(got) != string(want) {
			// encoding/json escapes <, > and & for browsers; both read the same.
			if unescape(string(want)) != string(got) {
				t.Errorf("%T: got %s, want %s", p, got, want)
			}
		}
	}
}

func unescape(s string) string {
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(s)
}

func TestStringsByHand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		var got string
		if err := json.Unmarshal(appendString(nil, s), &got); err != nil || got != s {
			t.Fatalf("got %q, %v; want %q", got, err, s)
		}
	})
}

func TestTimes(t *testing.T) {
	for _, at := range []time.Time{{}, time.Unix(0, 1), time.Unix(0, 0), time.Unix(-5, 5), time.Now(), maxTime, minTime} {
		if got := fromNanos(nanos(at)); !got.Equal(at) {
			t.Errorf("%v came back as %v", at, got)
		}
	}
	order := []time.Time{{}, time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC), minTime.Add(1), time.Unix(0, 0), time.Now(),
		time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)}
	for i := 1; i < len(order); i++ {
		if nanos(order[i-1]) >= nanos(order[i]) {
			t.Errorf("%v is not before %v", order[i-1], order[i])
		}
	}
}
