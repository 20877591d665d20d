package mcp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/tool/mcp"
)

// A server behind a shell, as npx is one, that ignores both the end of its input
// and SIGTERM, dies with Close, and so does what it started.
func TestStubbornServerDiesWithClose(t *testing.T) {
	dir := t.TempDir()
	pids := filepath.Join(dir, "pids")
	cfg := self("ok")
	cfg.Command = []string{"sh", "-c", `trap '' TERM; echo $$ >> "$1"; sleep 1000 & echo $! >> "$1"; "$0"; sleep 1000`, os.Args[0], pids}
	a := mcp.New(cfg)
	if _, err := a.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(begun); d > 10*time.Second {
		t.Errorf("Close took %s", d)
	}
	for _, field := range strings.Fields(string(text)) {
		eventually(t, "process "+field+" is dead", func() bool { return dead(field) })
	}
	if len(strings.Fields(string(text))) != 2 {
		t.Errorf("the pids are %q", text)
	}
}

// dead reports whether a process has ended; who inherited it may not have
// reaped it yet.
func dead(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	return err != nil || strings.Contains(string(stat), ") Z ")
}
