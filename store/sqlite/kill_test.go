package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/reeverun/reeve/internal/seal"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// writeEnv makes the test binary write to a database until it is killed.
const writeEnv = "SQLITE_TEST_WRITE"

const killBatch = 20

// writeForever applies batches and says after each which id is safe.
func writeForever(path string) {
	box, err := seal.Ephemeral()
	if err != nil {
		panic(err)
	}
	s, err := Open(context.Background(), Config{Path: path, Sealer: box})
	if err != nil {
		panic(err)
	}
	for j := newJobs(); ; {
		var batch []store.Change
		for range killBatch {
			batch = append(batch, j.accepted())
		}
		if err := s.Apply(context.Background(), batch); err != nil {
			panic(err)
		}
		fmt.Println(j.id)
	}
}

// A writer that is killed loses nothing it has acknowledged, and leaves no half
// of a batch.
func TestKilledWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "reeve.db")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), writeEnv+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var safe process.ID
	lines := bufio.NewScanner(out)
	for safe < 30*killBatch && lines.Scan() {
		fmt.Sscan(lines.Text(), &safe)
	}
	cmd.Process.Kill()
	for lines.Scan() { // acknowledged while we were killing
		fmt.Sscan(lines.Text(), &safe)
	}
	cmd.Wait()
	if safe == 0 {
		t.Fatal("the writer wrote nothing")
	}

	s := open(t, path)
	var n process.ID
	if err := s.db.QueryRowContext(t.Context(), "SELECT count(*) FROM processes").Scan(&n); err != nil {
		t.Fatal(err)
	}
	if n < safe || n%killBatch != 0 {
		t.Errorf("%d processes, %d were acknowledged", n, safe)
	}
	if m, err := s.Marks(t.Context()); err != nil || m.ID != n {
		t.Errorf("marks %+v, %v; want id %d", m, err, n)
	}
	if evs, err := s.Events(t.Context(), n, 0, 10); err != nil || len(evs) != 2 {
		t.Errorf("the last process has %d events, %v", len(evs), err)
	}
}
