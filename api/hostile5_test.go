package api

import (
	"errors"
	"strings"
	"testing"

	"github.com/reeverun/reeve/process"
)

// A tree that is deeper than processes can be is refused before it is looked at
// in full, which takes the square of its depth.
func TestHostile5DeepSupervisors(t *testing.T) {
	deep := func(n int) *Supervisor {
		code := strings.Repeat(`{"children":[{"name":"a","supervisor":`, n) +
			`{"children":[{"name":"x","environment":"command","code":"true"}]}` + strings.Repeat(`}]}`, n)
		var s Supervisor
		if err := Decode([]byte(code), &s); err != nil {
			t.Fatal(err)
		}
		return &s
	}
	if _, err := (Specs{}).Members(deep(10)); err != nil {
		t.Errorf("ten levels: %v", err)
	}
	allocated := testing.AllocsPerRun(1, func() {
		if _, err := (Specs{}).Members(deep(2000)); !errors.Is(err, process.ErrInvalid) {
			t.Errorf("two thousand levels: %v", err)
		}
	})
	if allocated > 1e6 {
		t.Errorf("it took %.0f allocations to refuse it", allocated)
	}
}
