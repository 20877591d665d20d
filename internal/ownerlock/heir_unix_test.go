//go:build unix

package ownerlock

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// An owner killed while it starts a child leaves the lock to that child for a
// moment: the next owner waits for it instead of naming a dead one.
func TestHeirOfADeadOwnerIsWaitedFor(t *testing.T) {
	dead := exec.Command("true")
	if err := dead.Run(); err != nil {
		t.Skip("needs a program to die:", err)
	}
	dir := t.TempDir()
	heir, err := os.OpenFile(filepath.Join(dir, FileName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer heir.Close()
	fd := int(heir.Fd())
	if err := syscall.Flock(fd, syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(Holder{PID: dead.Process.Pid, Program: "host", Since: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := heir.Write(b); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, func() { _ = syscall.Flock(fd, syscall.LOCK_UN) })
	l, err := Acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// Closing drops the lock even while a copy of its descriptor is open.
func TestCloseUnlocksCopies(t *testing.T) {
	dir := t.TempDir()
	l, err := Acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	fd, err := syscall.Dup(int(l.file.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	_ = again.Close()
}
