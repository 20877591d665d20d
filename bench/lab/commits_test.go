package lab

import (
	"os"
	"path/filepath"
	"testing"
)

// The floor of durable jobs writes each of them, and leaves nobody waiting.
func TestGroupCommit(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := Commits{File: f}
	const jobs = 1000
	if err := Together(jobs, 64, c.Add); err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil || info.Size() != jobs*recordOfJob || len(c.waiting) != 0 {
		t.Errorf("%d bytes, %d wait: %v", info.Size(), len(c.waiting), err)
	}
	f.Close()
	if c.Add() == nil {
		t.Error("a closed file took a job")
	}
}
