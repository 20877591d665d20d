package reeve_test

import (
	"bufio"
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
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/process"
)

// loadHost spawns jobs as fast as it can and prints "n id" for each that was
// acknowledged. It never ends by itself.
func loadHost(ctx context.Context, rt *reeve.Runtime) int {
	marks := os.Getenv("REEVE_TEST_MARKS")
	for n := 0; ; n++ {
		script := fmt.Sprintf(`echo x >> %s/%s-%d; i=0; while [ $i -lt 50 ]; do echo line $i; i=$((i+1)); done; exit %d`,
			marks, os.Getenv("REEVE_TEST_ROUND"), n, n%3)
		p, err := rt.Spawn(ctx, reeve.Sh(script).Interpreter("none"))
		if err != nil {
			fmt.Println("error:", err)
			return 1
		}
		fmt.Println(n, p.ID())
	}
}

// A host that is killed again and again under load loses nothing it has
// acknowledged and runs nothing twice.
func TestHostKilledAgainAndAgain(t *testing.T) {
	dir, marks := t.TempDir(), t.TempDir()
	rounds := 5
	if n, err := strconv.Atoi(os.Getenv("REEVE_CRASH_ROUNDS")); err == nil {
		rounds = n
	}
	interrupted, finished := 0, 0
	for round := range rounds {
		acked := killedUnderLoad(t, dir, marks, round)
		rt := open(t, reeve.Config{Dir: dir})
		for n, id := range acked {
			if _, err := rt.Wait(bounded(t), id); err != nil {
				t.Fatalf("round %d: acknowledged process %d: %v", round, id, err)
			}
			ran := countMarks(t, fmt.Sprintf("%s/%d-%d", marks, round, n))
			if checkSurvivor(t, rt, id, n, ran) {
				finished++
			} else {
				interrupted++
			}
		}
		if err := rt.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d rounds: %d finished, %d interrupted", rounds, finished, interrupted)
	if finished == 0 || interrupted == 0 {
		t.Errorf("%d finished and %d interrupted: the kills came at no interesting time", finished, interrupted)
	}
}

// killedUnderLoad runs loadHost for a random time and returns what it
// acknowledged.
func killedUnderLoad(t *testing.T, dir, marks string, round int) map[int]reeve.ID {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "REEVE_TEST_HOST=load", "REEVE_TEST_DIR="+dir,
		"REEVE_TEST_MARKS="+marks, fmt.Sprintf("REEVE_TEST_ROUND=%d", round))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	acked := map[int]reeve.ID{}
	var kill *time.Timer
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var n int
		var id reeve.ID
		if _, err := fmt.Sscan(lines.Text(), &n, &id); err != nil {
			t.Fatalf("host says %q", lines.Text())
		}
		acked[n] = id
		if kill == nil {
			kill = time.AfterFunc(time.Duration(50+rand.IntN(250))*time.Millisecond, func() { _ = cmd.Process.Kill() })
		}
	}
	_ = cmd.Wait()
	if len(acked) == 0 {
		t.Fatal("the host acknowledged nothing")
	}
	return acked
}

func countMarks(t *testing.T, path string) int {
	t.Helper()
	b, err := os.ReadFile(filepath.Clean(path))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Count(string(b), "x")
}

// checkSurvivor fails unless the record tells the truth about job n, which has
// left its mark ran times. It reports whether the job finished.
func checkSurvivor(t *testing.T, rt *reeve.Runtime, id reeve.ID, n, ran int) bool {
	t.Helper()
	rec := record(t, rt, id)
	all := events(t, rt, id)
	gapless(t, all)
	if count(all, process.KindFinalized) != 1 {
		t.Errorf("process %d: %s", id, kinds(all))
	}
	got := lines(all, reeve.Stdout)
	for i, line := range got {
		if want := fmt.Sprintf("line %d", i); line != want && (rec.Error != process.ErrHostExited || i < len(got)-1) {
			t.Fatalf("process %d: %q where %q was due", id, line, want)
		}
	}
	if rec.Error == process.ErrHostExited {
		if ran > 1 {
			t.Errorf("process %d was interrupted and ran %d times", id, ran)
		}
		return false
	}
	if ran != 1 || len(got) != 50 || rec.Exit.Code != n%3 {
		t.Errorf("process %d ran %d times, printed %d lines, exit %+v; want once, 50, %d", id, ran, len(got), rec.Exit, n%3)
	}
	return true
}
