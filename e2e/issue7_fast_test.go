//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/reeverun/reeve/internal/testbin"
)

// fastBinary is the program as it is shipped, without the race detector, which
// makes what people wait for many times slower.
var fastBinary = sync.OnceValues(func() (string, error) {
	if binary := os.Getenv("REEVE_E2E_REAL_BINARY"); binary != "" {
		return binary, nil
	}
	binary := filepath.Join(suite.dir, "reeve-fast")
	return binary, testbin.Make(binary)
})

// startFast runs the shipped program for one test.
func startFast(t testing.TB, flags ...string) *daemon {
	t.Helper()
	return startFastIn(t, newBase(t), nil, flags...)
}

// startFastIn is startFast with the folders of an earlier daemon and variables of
// its environment.
func startFastIn(t testing.TB, base string, variables []string, flags ...string) *daemon {
	t.Helper()
	return startProgram(t, fastBinary, base, variables, flags...)
}

// createMany makes processes that have not run, labelled by number.
func (d *daemon) createMany(t testing.TB, n int) {
	t.Helper()
	const hands = 32 // what comes at the same time is written down at once
	var all sync.WaitGroup
	for hand := range hands {
		all.Go(func() {
			for i := hand; i < n; i += hands {
				a, err := d.try(request{method: "POST", path: "/processes", body: m{"environment": "command", "autorun": false,
					"label": fmt.Sprint("job ", i), "command": m{"program": "true"}}})
				if err != nil || a.status != 201 {
					t.Errorf("create %d: %v, %v", i, a, err)
					return
				}
			}
		})
	}
	all.Wait()
}
