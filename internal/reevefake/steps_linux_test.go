package main

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// On a terminal an agent's steps are shown between its words, and only there.
func TestStepsOnATerminal(t *testing.T) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals: %v", err)
	}
	defer master.Close()
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.serve()
	cmd := w.command("agent", "step 1\nout hello\nstep 2\nspawn out child\nawait")
	cmd.Env = append(cmd.Env, "TERM=xterm", "NO_COLOR=")
	cmd.Stdout, cmd.Stderr = tty, tty
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	var shown bytes.Buffer
	_, _ = io.Copy(&shown, master) // ends with an error when the last writer is gone
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	text := strings.ReplaceAll(shown.String(), "\r\n", "\n")
	for _, want := range []string{"\x1b[2mstep 1\x1b[0m\n", "hello\n", "\x1b[2mstep 2\x1b[0m\n", "\x1b[2m  started process 2\x1b[0m\n", "ended 2 success\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text)
		}
	}
}
