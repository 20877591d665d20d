package keeper

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/reeverun/reeve/keeper/internal/confine"
)

// Where nothing limits pids, no directory is made for it anywhere.
func TestNoPlaceWithoutAController(t *testing.T) {
	b := &bounds{most: 64, pids: controller{why: "switched off"}}
	if d := b.prepare(""); d.pids.dir != "" {
		_ = os.Remove(d.pids.dir)
		t.Errorf("made %s", d.pids.dir)
	}
}

// A directory that only counts serves the next job, as if it were new; one in
// which a job has left something does not.
func TestPlacesServeAgain(t *testing.T) {
	b := openBounds(Options{Name: t.TempDir(), PIDs: 64}, "")
	if b.pids.base == "" {
		t.Skip("no pids controller of version 1:", b.pids.why)
	}
	defer func() {
		if err := b.close(); err != nil {
			t.Error(err)
		}
	}()
	first := b.prepare("")
	b.set(&first, "", Limits{PIDs: 7}, 0, &Enforced{})
	b.discard(first)
	again := b.prepare("")
	if again.pids.dir != first.pids.dir {
		t.Errorf("made %s although %s is empty", again.pids.dir, first.pids.dir)
	}
	if most, err := os.ReadFile(again.pids.dir + "/pids.max"); err != nil || string(most) != "64\n" {
		t.Errorf("it may have %q, %v", most, err)
	}
	other := b.prepare("")
	if other.pids.dir == again.pids.dir {
		t.Error("two jobs have one directory")
	}
	if err := os.Mkdir(filepath.Join(other.pids.dir, "left"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.discard(other)
	if _, err := os.Stat(other.pids.dir); !os.IsNotExist(err) {
		t.Errorf("what a job has left is kept: %v", err)
	}
	b.discard(again)
	var told Enforced
	last := b.prepare("")
	b.set(&last, "", Limits{}, 0, &told)
	if len(told.Missing) > 0 || told.Held[0] != confine.PIDs {
		t.Errorf("the limit is not held: %+v", told)
	}
	b.discard(last)
}
