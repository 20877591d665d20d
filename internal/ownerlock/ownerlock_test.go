package ownerlock

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/reeverun/reeve/process"
)

// holdEnv makes the test binary hold the lock of a directory until it is killed.
const holdEnv = "OWNERLOCK_TEST_HOLD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(holdEnv); dir != "" {
		hold(dir)
	}
	os.Exit(m.Run())
}

func hold(dir string) {
	if _, err := Acquire(dir); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("held")
	bufio.NewReader(os.Stdin).ReadString('\n') // until killed
	os.Exit(0)
}

func acquire(t *testing.T, dir string) *Lock {
	t.Helper()
	l, err := Acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func TestSecondOwnerInTheSameProcessIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	first := acquire(t, dir)
	before, _ := os.ReadFile(filepath.Join(dir, FileName))

	_, err := Acquire(dir)
	if !errors.Is(err, process.ErrOwned) {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{dir, fmt.Sprint("pid ", os.Getpid()), programName(), "since 2", "use another data directory"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
	if after, _ := os.ReadFile(filepath.Join(dir, FileName)); string(after) != string(before) {
		t.Errorf("the lock file changed from %q to %q", before, after)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	acquire(t, dir)
}

func TestLockEndsWithItsProcess(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holdEnv+"="+dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("the holder said %q", line)
	}

	_, err = Acquire(dir)
	if !errors.Is(err, process.ErrOwned) || !strings.Contains(err.Error(), fmt.Sprintf("pid %d,", cmd.Process.Pid)) {
		t.Fatalf("got %v, want the holder's pid %d", err, cmd.Process.Pid)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	acquire(t, dir)
}

func TestOneOfManyWins(t *testing.T) {
	dir := t.TempDir()
	var won atomic.Int32
	var wg sync.WaitGroup
	locks := make([]*Lock, 32)
	for i := range locks {
		wg.Go(func() {
			l, err := Acquire(dir)
			if err == nil {
				won.Add(1)
				locks[i] = l
			} else if !errors.Is(err, process.ErrOwned) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Fatalf("%d owners", won.Load())
	}
	for _, l := range locks {
		if l != nil {
			l.Close()
		}
	}
}

func TestUnreadableHolderIsStillRefused(t *testing.T) {
	dir := t.TempDir()
	l := acquire(t, dir)
	if err := l.file.Truncate(3); err != nil {
		t.Fatal(err)
	}
	if _, err := Acquire(dir); !errors.Is(err, process.ErrOwned) || !strings.Contains(err.Error(), "another program") {
		t.Fatalf("got %v", err)
	}
}

func TestAcquireSaysWhatIsWrongWithThePath(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Acquire(file); err == nil || errors.Is(err, process.ErrOwned) || !strings.Contains(err.Error(), file) {
		t.Fatalf("got %v", err)
	}
}
