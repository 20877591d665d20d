//go:build linux

package torture

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/reeverun/reeve/internal/testbin"
)

// suite is what the tests have in common. Everything is below one folder, so
// that whatever runs from there is known to be theirs.
var suite struct {
	dir         string
	binary, job string
}

// patience bounds every wait; nothing waits it out unless it fails.
const patience = 60 * time.Second

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "reeve-torture-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	defer os.RemoveAll(dir)
	suite.dir, suite.binary, suite.job = dir, filepath.Join(dir, "reeve"), filepath.Join(dir, "job")
	if err := buildAll(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return m.Run()
}

// buildAll makes both programs.
func buildAll() error {
	if err := testbin.Make(suite.binary); err != nil {
		return err
	}
	return build(suite.job, "./job", "CGO_ENABLED=0")
}

func build(binary, pkg string, env ...string) error {
	cmd := exec.Command("go", "build", "-o", binary, pkg)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	return nil
}

// setting is a number of the environment.
func setting(t testing.TB, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv("REEVE_TORTURE_" + name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		t.Fatalf("REEVE_TORTURE_%s is %q, want a number", name, text)
	}
	return n
}
