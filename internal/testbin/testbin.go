// Package testbin gives tests the program. scripts/test builds it once and names
// it by REEVE_BIN; a test that is run by hand builds it for itself.
package testbin

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Make puts the program at path: a copy, so that whatever runs from there is
// known to be the test's own.
func Make(path string) error {
	if made := os.Getenv("REEVE_BIN"); made != "" {
		content, err := os.ReadFile(made)
		if err != nil {
			return fmt.Errorf("the program that REEVE_BIN names: %w", err)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return os.WriteFile(path, content, 0o755)
	}
	return Build(path, "github.com/reeverun/reeve/cmd/reeve")
}

// Build compiles a package, as the flags of go build say, without what only a
// debugger reads, which is much of the linker's work.
func Build(path, pkg string, flags ...string) error {
	args := append([]string{"build", "-ldflags=-s -w", "-o", path}, flags...)
	cmd := exec.Command("go", append(args, pkg)...)
	if _, err := exec.LookPath("g++"); err != nil && os.Getenv("CXX") == "" {
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // a C compiler alone does not build V8
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	return nil
}

// BuildRace is Build with the race detector, but not in SQLite, its driver and
// QuickJS: most of that was translated from C, and the tests of our store take
// four times the CPU with it. Races inside them are not seen.
func BuildRace(path, pkg string) error {
	return Build(path, pkg, "-race", "-gcflags=modernc.org/...=-race=false")
}
