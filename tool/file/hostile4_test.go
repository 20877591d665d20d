package file_test

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/reeverun/reeve/tool/file"
)

// Of two policies one would be dropped without a word, and it may be the one
// that forbids.
func TestHostileTwoPolicies(t *testing.T) {
	for name, text := range map[string]string{
		"policy":   "policy:\n  - deny: \"*\"\npolicy:\n  - allow: \"*\"\n",
		"services": "services: {}\nservices: {}\n",
	} {
		_, err := file.Load(write(t, t.TempDir(), "tools.yaml", text), lookup(nil))
		if err == nil || !strings.Contains(err.Error(), "twice") || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A file without end is not read to its end.
func TestHostileEndlessFile(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip("there is none here:", err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	done := make(chan error, 1)
	go func() {
		_, err := file.Load("/dev/zero", lookup(nil))
		done <- err
	}()
	if err := <-done; err == nil || !strings.Contains(err.Error(), "allowed") {
		t.Errorf("%v", err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
		t.Errorf("%d MiB were read", n>>20)
	}
}

func TestHostileAliases(t *testing.T) {
	for name, text := range map[string]string{
		"bomb":   "services:\n  a: &a {adapter: mcp, command: [x]}\nx: &x [1,1,1,1,1,1,1,1,1]\ny: &y [*x,*x,*x,*x,*x,*x,*x,*x]\n",
		"itself": "services:\n  a: &a {adapter: mcp, command: *a}\n",
		"nested": "services:\n  a: {adapter: mcp, command: [" + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "]}\n",
		"many":   "services:\n  a:\n    adapter: mcp\n    env: &e {A: b}\n    command: [" + strings.Repeat("*e,", 10_001) + "x]\n",
	} {
		if _, err := file.Load(write(t, t.TempDir(), "tools.yaml", text), lookup(nil)); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}
