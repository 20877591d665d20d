//go:build linux

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// tmux is "reeve top" in a terminal that a test can read: what it shows is what
// the terminal made of the bytes that it was sent.
type tmux struct {
	testing.TB
	dir string
}

// top starts the dashboard in a window of a size, with variables of its own.
func (d *daemon) top(t testing.TB, columns, rows int, variables ...string) *tmux {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip(err)
	}
	dir, err := os.MkdirTemp(suite.dir, "t") // short: a socket is made in it
	if err != nil {
		t.Fatal(err)
	}
	w := &tmux{t, dir}
	t.Cleanup(func() {
		_ = w.command("kill-server").Run()
		_ = os.RemoveAll(dir)
	})
	env := append([]string{"REEVE_DATA=" + d.data, "LANG=C.UTF-8", "GORACE=exitcode=66", "REEVE_TOKEN=" + d.token}, variables...)
	line := fmt.Sprintf("env %s %s top; echo left with $?; exec cat", strings.Join(env, " "), d.binary)
	start := w.command("-f", "/dev/null", "new-session", "-d", "-s", "top", "-x", fmt.Sprint(columns), "-y", fmt.Sprint(rows), line)
	if out, err := start.CombinedOutput(); err != nil {
		t.Fatalf("tmux: %v\n%s", err, out)
	}
	return w
}

func (w *tmux) command(args ...string) *exec.Cmd {
	cmd := exec.Command("tmux", append([]string{"-S", filepath.Join(w.dir, "s")}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.dir, "TERM=xterm-256color", "LANG=C.UTF-8", "SHELL=/bin/sh"}
	return cmd
}

// pid is the dashboard's: the only child of the window's shell.
func (w *tmux) pid() int {
	w.Helper()
	shell, _ := w.command("display-message", "-p", "-t", "top", "#{pane_pid}").Output()
	name := strings.TrimSpace(string(shell))
	children, _ := os.ReadFile("/proc/" + name + "/task/" + name + "/children")
	pid, err := strconv.Atoi(strings.TrimSpace(string(children)))
	if err != nil {
		w.Fatal(err)
	}
	return pid
}

// screen is what the terminal shows.
func (w *tmux) screen() string {
	out, err := w.command("capture-pane", "-p", "-t", "top").Output()
	if err != nil {
		w.Fatalf("tmux: %v", err)
	}
	return string(out)
}

// until waits for a screen that a condition likes.
func (w *tmux) until(what string, ok func(screen string) bool) string {
	w.Helper()
	var last string
	if eventually(func() error {
		if last = w.screen(); ok(last) {
			return nil
		}
		return errNotYet
	}) != nil {
		w.Fatalf("never seen: %s\n%s", what, last)
	}
	return last
}

func (w *tmux) sees(text string) string {
	w.Helper()
	return w.until(text, func(s string) bool { return strings.Contains(s, text) })
}

func (w *tmux) seesNot(text string) {
	w.Helper()
	w.until("no "+text, func(s string) bool { return !strings.Contains(s, text) })
}

// presses types keys by tmux's names; what is no name is typed as it is.
func (w *tmux) presses(keys ...string) {
	w.Helper()
	if out, err := w.command(append([]string{"send-keys", "-t", "top"}, keys...)...).CombinedOutput(); err != nil {
		w.Fatalf("tmux: %v\n%s", err, out)
	}
}

func (w *tmux) resize(columns, rows int) {
	w.Helper()
	if out, err := w.command("resize-window", "-t", "top", "-x", fmt.Sprint(columns), "-y", fmt.Sprint(rows)).CombinedOutput(); err != nil {
		w.Fatalf("tmux: %v\n%s", err, out)
	}
}
