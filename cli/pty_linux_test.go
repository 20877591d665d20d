package cli

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal runs a command on a pseudo terminal of some columns, as its standard
// output, error and input, and returns all that was shown.
func terminal(t *testing.T, cmd *exec.Cmd, columns uint16) string {
	t.Helper()
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
	if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	var shown bytes.Buffer
	_, _ = io.Copy(&shown, master) // ends with an error when the last writer is gone
	_ = cmd.Wait()
	return strings.ReplaceAll(shown.String(), "\r\n", "\n")
}

func TestTableFitsTheTerminal(t *testing.T) {
	r := newRig(t)
	r.must("run", "--", "sh", "-c", "true "+strings.Repeat("and more ", 50))
	if full := r.must("ps", "-a"); strings.Contains(full, "…") || strings.Contains(full, "\x1b") {
		t.Errorf("%q", full)
	}
	shown := terminal(t, r.command("ps", "-a"), 60)
	if !strings.Contains(shown, "…") || !strings.Contains(shown, "\x1b[32msuccess\x1b[0m") {
		t.Errorf("%q", shown)
	}
	r.env = append(r.env, "NO_COLOR=1")
	plain := terminal(t, r.command("ps", "-a"), 60)
	for line := range strings.Lines(plain) {
		if n := columns(strings.TrimSuffix(line, "\n")); n > 60 || strings.Contains(line, "\x1b") {
			t.Errorf("%d columns: %q", n, line)
		}
	}
}

// The bar is drawn while the job runs, never into its lines, and is gone at the
// end; without a terminal there is none.
func TestProgressBarOnATerminal(t *testing.T) {
	r := newRig(t)
	script := []string{"run", "--", "sh", "-c", `for i in 10 50 90; do echo "progress: $i%"; sleep 0.3; done; printf 'end'`}
	shown := terminal(t, r.command(script...), 80)
	for _, want := range []string{"[###---", " 10%", " 50%", "progress: 50%\n"} {
		if !strings.Contains(shown, want) {
			t.Errorf("no %q in %q", want, shown)
		}
	}
	if !strings.HasSuffix(shown, clearLine+"end") {
		t.Errorf("%q", shown)
	}
	if none := terminal(t, r.command(append([]string{"run", "--no-progress"}, script[1:]...)...), 80); strings.Contains(none, "\x1b") {
		t.Errorf("%q", none)
	}
	if piped := r.must(script...); piped != "progress: 10%\nprogress: 50%\nprogress: 90%\nend" {
		t.Errorf("%q", piped)
	}
}
