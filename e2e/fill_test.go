//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/reeverun/reeve/internal/seal"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
	"github.com/reeverun/reeve/store/sqlite"
)

// fillData makes a data directory with processes that have run, by writing them
// down: running so many would take a test's whole time.
func fillData(t testing.TB, dir string, n int) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	box, err := seal.Open(filepath.Join(dir, "key"))
	if err != nil {
		t.Fatal(err)
	}
	st, err := sqlite.Open(t.Context(), sqlite.Config{Path: filepath.Join(dir, "reeve.db"), Sealer: box})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	at := time.Now().Add(-time.Hour).UTC()
	changes := make([]store.Change, n)
	for i := range changes {
		id := process.ID(i + 1)
		changes[i].Insert = &process.Process{ID: id, State: process.Idle, CreatedAt: at,
			Spec: process.Spec{Environment: process.EnvCommand, Label: fmt.Sprint("job ", id), Command: &process.Command{Program: "true"}, RawOutput: process.Persist},
			Run: process.Run{Number: 1, Lifecycle: process.LifecycleDead, ExitState: process.ExitSuccess, Exit: &process.Exit{Reason: process.ReasonCompleted},
				Outcome: &process.Outcome{Kind: process.OutcomeSucceeded}, StartedAt: at, CompletedAt: at}}
	}
	if err := st.Apply(t.Context(), changes); err != nil {
		t.Fatal(err)
	}
}
