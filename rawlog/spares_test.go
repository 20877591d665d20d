package rawlog

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// spareFolders counts the folders made ahead.
func spareFolders(t *testing.T, ls *Logs) int {
	found := must[[]string](t)(filepath.Glob(filepath.Join(ls.cfg.Dir, sparePrefix+"*")))
	return len(found)
}

// stocked waits until the spares are made.
func stocked(t *testing.T, ls *Logs) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		ls.spares.mu.Lock()
		n, making := len(ls.spares.ready), ls.spares.making
		ls.spares.mu.Unlock()
		if n == stock && !making {
			return
		}
	}
	t.Fatal("no spares were made")
}

func TestSparesAreUsedAndLeaveNothing(t *testing.T) {
	ls := newLogs(t, Config{})
	litter := filepath.Join(ls.cfg.Dir, sparePrefix+"99999999-1")
	check(t, os.MkdirAll(litter, 0o700))
	run(t, ls.Create(1, 1, KeepFile), "echo one")
	stocked(t, ls)
	if _, err := os.Stat(litter); !os.IsNotExist(err) {
		t.Errorf("litter of a dead host: %v", err)
	}
	before := ls.spares.made
	l := ls.Create(2, 1, KeepFile)
	run(t, l, "echo two; echo oops >&2")
	ls.spares.mu.Lock()
	left := len(ls.spares.ready)
	ls.spares.mu.Unlock()
	equal(t, "made meanwhile", ls.spares.made, before)
	equal(t, "left", left, stock-1)
	p := &pump{l: l}
	p.drain(t, 100)
	check(t, l.Finish())
	r := open(t, ls, 2, 1)
	equal(t, "stdout", content(t, r, Stdout), "two\n")
	equal(t, "stderr", content(t, r, Stderr), "oops\n")
	check(t, ls.Close())
	equal(t, "folders after Close", spareFolders(t, ls), 0)
}

// A folder that is in the way keeps its spare for the next, and is cleared of
// the run of the same number as it always was.
func TestSpareWithItsPlaceTaken(t *testing.T) {
	ls := newLogs(t, Config{})
	run(t, ls.Create(1, 1, KeepFile), "echo one")
	stocked(t, ls)
	check(t, os.MkdirAll(ls.dir(7), 0o700))
	check(t, os.WriteFile(ls.path(7, 1, ".stdout"), []byte("of a lost record\n"), 0o600))
	l := ls.Create(7, 1, KeepFile)
	run(t, l, "echo mine")
	p := &pump{l: l}
	p.drain(t, 100)
	equal(t, "stdout", p.read[Stdout].String(), "mine\n")
	ls.spares.mu.Lock()
	defer ls.spares.mu.Unlock()
	equal(t, "spares", len(ls.spares.ready), stock)
	equal(t, "off", ls.spares.off, false)
}
