//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reeverun/reeve/internal/testbin"
)

var block = regexp.MustCompile("(?s)```sh\n(.*?)```")

// The examples of docs/http.md work as they are written, in their order.
func TestExamplesOfTheDocs(t *testing.T) {
	curl, err := exec.LookPath("curl")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("curl is not installed, and CI needs it")
		}
		t.Skip("curl is not installed")
	}
	doc, err := os.ReadFile("../../docs/http.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	address := serveForDocs(t, dir)
	script := "set -eu\n"
	for _, m := range block.FindAllStringSubmatch(string(doc), -1) {
		script += m[1]
	}
	script = strings.ReplaceAll(script, "reeve serve &\n", "")
	script = strings.ReplaceAll(script, "http://127.0.0.1:7338", "http://"+address)
	// An answer that is an error fails, and what never ends is left after a while.
	wrapper := `#!/bin/sh
case "$*" in
*events?tag=*) timeout 1 ` + curl + ` "$@" || [ $? = 124 ]; exit ;;
esac
exec ` + curl + ` --fail-with-body "$@"
`
	if err := os.WriteFile(filepath.Join(dir, "curl"), []byte(wrapper), 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-x", "-c", script)
	cmd.WaitDelay = 10 * time.Second // for what it left in the background
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), `"stdout":"hello\n"`) {
		t.Errorf("the first example does not say hello:\n%s", out)
	}
}

// serveForDocs starts the program as a daemon and returns its address.
func serveForDocs(t *testing.T, dir string) string {
	t.Helper()
	bin := filepath.Join(dir, "reeve")
	if err := testbin.Make(bin); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "data")
	cmd := exec.Command(bin, "serve", "--data", data, "--listen", "127.0.0.1:0", "--config", "none", "--stop-jobs")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("daemon: %v", err)
		}
	})
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if b, err := os.ReadFile(filepath.Join(data, "address")); err == nil {
			return strings.TrimSpace(string(b))
		}
	}
	t.Fatal("the daemon does not start")
	return ""
}
