package agent_test

import (
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
