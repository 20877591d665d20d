//go:build linux && (amd64 || arm64)

package sqlite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/reeverun/reeve/internal/powercut"
	"github.com/reeverun/reeve/internal/seal"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// powerEnv makes the test binary write to a database, and say what is safe; its
// value is the file, or a pragma for the writer, a comma and the file.
const powerEnv = "SQLITE_TEST_POWER"

func init() { roles[powerEnv] = writeForPower }

// writeForPower creates, finishes and deletes processes in a database whose log
// is moved into the file often.
func writeForPower(value string) {
	pragma, path, _ := strings.Cut(value, ",")
	try := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	try(powercut.Enlist())
	box, err := seal.Ephemeral()
	try(err)
	s, err := Open(context.Background(), Config{Path: path, Sealer: box})
	try(err)
	try(s.w.exec("PRAGMA wal_autocheckpoint = 12"))
	if pragma != "" {
		try(s.w.exec("PRAGMA " + pragma))
	}
	j := newJobs()
	for range 10 {
		var batch []store.Change
		for range 3 {
			batch = append(batch, j.accepted())
		}
		try(s.Apply(context.Background(), batch))
		fmt.Printf("created %d\n", j.id)
		try(s.Apply(context.Background(), []store.Change{j.finished(j.id - 1)}))
		fmt.Printf("finished %d\n", j.id-1)
		try(s.Delete(context.Background(), j.id-2))
		fmt.Printf("deleted %d\n", j.id-2)
	}
	try(s.Close())
}

// record has a writer write, and returns what it did.
func record(t *testing.T, pragma string) *powercut.Log {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), powerEnv+"="+pragma+","+filepath.Join(dir, "reeve.db"))
	cmd.Stderr = os.Stderr
	l, err := powercut.Record(cmd, dir)
	if errors.Is(err, powercut.ErrUntraceable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if n := len(l.Acknowledged(l.Len())); n != 30 {
		t.Fatalf("%d acknowledgements were recorded", n)
	}
	return l
}

// cutAt opens what a cut leaves, and returns what is wrong with it.
func cutAt(t *testing.T, l *powercut.Log, cut int, m powercut.Mode, rng *rand.Rand) error {
	t.Helper()
	dir := t.TempDir()
	if err := l.Make(dir, cut, m, rng); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), Config{Path: filepath.Join(dir, "reeve.db"), Sealer: testBox(t)})
	if err != nil {
		return err
	}
	defer s.Close()
	for _, ack := range l.Acknowledged(cut) {
		if err := holds(s, ack); err != nil {
			return fmt.Errorf("%q is not so: %w", ack, err)
		}
	}
	if err := s.Apply(t.Context(), []store.Change{{Insert: &process.Process{ID: 1000, State: process.Idle}}}); err != nil {
		return fmt.Errorf("it cannot be written: %w", err)
	}
	var verdict string
	if err := s.db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		return fmt.Errorf("integrity: %s, %w", verdict, err)
	}
	return nil
}

// holds checks one acknowledgement.
func holds(s *Store, ack string) error {
	what, number, _ := strings.Cut(ack, " ")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return err
	}
	id := process.ID(n)
	p, err := s.Process(context.Background(), id)
	switch {
	case what == "deleted" && errors.Is(err, process.ErrNotFound):
		return nil
	case err != nil:
		return err
	case what == "deleted", what == "finished" && p.ExitState != process.ExitSuccess:
		return fmt.Errorf("it is %s, %q", p.State, p.ExitState)
	}
	if m, err := s.Marks(context.Background()); err != nil || m.ID < id {
		return fmt.Errorf("marks %+v, %w", m, err)
	}
	return nil
}

// Whenever the power is cut, and whatever that does to what was not synced,
// nothing that was acknowledged is lost and the database is sound.
func TestPowerCut(t *testing.T) {
	l := record(t, "")
	stride := max(1, l.Len()/16)
	if os.Getenv("REEVE_TORTURE") != "" {
		stride = 1
	}
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	cuts := 0
	for cut := rng.IntN(stride); cut <= l.Len(); cut += stride {
		for m := range powercut.Modes {
			cuts++
			if err := cutAt(t, l, cut, m, rng); err != nil {
				t.Fatalf("cut %d of %d, mode %d, seed %d: %v", cut, l.Len(), m, seed, err)
			}
		}
	}
	t.Logf("%d writes, syncs and acknowledgements, %d cuts", l.Len(), cuts)
}

// The check can fail: a store that does not sync loses what it acknowledged.
func TestPowerCutFindsAStoreThatDoesNotSync(t *testing.T) {
	for _, pragma := range []string{"synchronous = OFF", "synchronous = NORMAL"} {
		l := record(t, pragma)
		rng := rand.New(rand.NewPCG(1, 2))
		lost := 0
		for cut := l.Len() / 2; cut <= l.Len(); cut += 40 {
			if cutAt(t, l, cut, powercut.Nothing, rng) != nil {
				lost++
			}
		}
		if lost == 0 {
			t.Errorf("with %s nothing was lost: the check sees nothing", pragma)
		}
	}
}
