package enginetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// QuickJSChild returns what a test gives the quickjs engine as its executable.
// That is nothing, meaning the test's own binary, unless the race detector is in
// it: QuickJS is far too slow and its recursion too deep under that, so a plain
// program is built, in dir. TestMain calls it.
func QuickJSChild(dir string) (string, error) {
	if !raceDetector {
		return "", nil
	}
	if err := os.Chmod(dir, 0o755); err != nil { // children may be another user
		return "", err
	}
	path := filepath.Join(dir, "quickjs-child")
	cmd := exec.Command("go", "build", "-o", path, "github.com/reeverun/reeve/env/typescript/quickjs/testdata/child")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program for children: %w\n%s", err, out)
	}
	return path, nil
}
