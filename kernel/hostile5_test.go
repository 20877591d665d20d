package kernel

import (
	"testing"
	"testing/synctest"

	"github.com/reeverun/reeve/process"
)

// Who spends more than can be counted has not spent less than nothing.
func TestHostile5SpendingDoesNotWrapAround(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 0)
		defer f.shut(t)
		id := f.bounded(t, 0, process.Budget{Tokens: 100}, "spend 10\nspend 9223372036854775807\nhang")
		free := f.bounded(t, 0, process.Budget{}, "spend 10\nspend 9223372036854775807\nout x")
		endedBy(t, f.wait(t, id), "budget_exceeded: process 1 used 9223372036854775807 of 100 tokens")
		if u := f.wait(t, free).Usage; u.Tokens <= 0 {
			t.Errorf("%+v", u)
		}
	})
}
