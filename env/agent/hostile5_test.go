package agent_test

import (
	"math"
	"strings"
	"testing"

	"github.com/reeverun/reeve/env/agent/agenttest"
)

// A date that no duration reaches is not an invitation to ask at once.
func TestHostile5RetryAfterTheEndOfTime(t *testing.T) {
	for _, when := range []string{"Fri, 31 Dec 9999 23:59:59 GMT", "1e300", "9223372036854775807", "inf"} {
		t.Run(when, func(t *testing.T) {
			eachProvider(t, func(t *testing.T, w *world) {
				w.server.Script(agenttest.Fault(429).With("Retry-After", when))
				_, err := w.run(spec("x"))
				if n := len(w.server.Requests()); err == nil || !strings.Contains(err.Error(), "too late") || n != 1 {
					t.Errorf("got %v after %d questions and %v", err, n, w.rests.list())
				}
			})
		})
	}
}

// What a server says of its usage neither takes back what was spent nor wraps
// around to nothing.
func TestHostile5UsageOnlyGrows(t *testing.T) {
	for name, u := range map[string]agenttest.Usage{
		"most":           {Input: math.MaxInt64, Output: 5},
		"both most":      {Input: math.MaxInt64, Output: math.MaxInt64},
		"negative":       {Input: -1000, Output: 5},
		"cached is more": {Input: 10, Cached: math.MaxInt64, Output: 5},
	} {
		t.Run(name, func(t *testing.T) {
			eachProvider(t, func(t *testing.T, w *world) {
				turn := agenttest.Say("x")
				turn.Usage = u
				w.server.Script(turn)
				w.succeed(spec("x"))
				s := w.steps()[0]
				if w.host.Spent() <= 0 || u.Input > math.MaxInt32 && w.host.Spent() < 1<<30 {
					t.Errorf("spent %d", w.host.Spent())
				}
				if min(s.InputTokens, s.CachedTokens, s.OutputTokens, s.InputTokens-s.CachedTokens) < 0 {
					t.Errorf("step %+v", s)
				}
			})
		})
	}
}
