package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/reeverun/reeve/internal/testbin"
)

// binaryDir holds the program that the scripts run.
var binaryDir string

// deadline bounds every wait for a condition.
const deadline = 30 * time.Second

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

// testMain builds the program once.
func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "reeve-cli-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binaryDir = dir
	if err := testbin.Make(filepath.Join(dir, binaryName)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// surroundings are the variables of a program with a data directory of its own.
func surroundings(home string) []string {
	return []string{
		"PATH=" + binaryDir + string(filepath.ListSeparator) + os.Getenv("PATH"),
		"HOME=" + home, "REEVE_DATA=" + filepath.Join(home, "data"), "XDG_RUNTIME_DIR=" + binaryDir,
		"TMPDIR=" + os.TempDir(), "TERM=xterm", "NO_COLOR=", "LANG=C.UTF-8",
	}
}

// stopDaemon ends the daemon of some surroundings, if one runs, and waits for it.
func stopDaemon(env []string) error {
	cmd := exec.Command(filepath.Join(binaryDir, binaryName), "version", "--json")
	cmd.Env = env
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	var v versions
	if err := json.Unmarshal(out, &v); err != nil || v.Daemon == nil {
		return err
	}
	p, err := os.FindProcess(v.Daemon.PID)
	if err != nil {
		return err
	}
	if err := p.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	for end := time.Now().Add(deadline); p.Signal(syscall.Signal(0)) == nil && !isZombie(p.Pid); {
		if time.Now().After(end) {
			return fmt.Errorf("daemon %d does not stop", p.Pid)
		}
		time.Sleep(5 * time.Millisecond)
	}
	return nil
}

// isZombie reports whether a process has ended and only waits to be reaped by
// whoever adopted it.
func isZombie(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(b), ") Z ")
}

// TestScripts drives the real program with a real daemon.
func TestScripts(t *testing.T) {
	needsUnix(t)
	testscript.Run(t, testscript.Params{
		Dir:                filepath.Join("testdata", "script"),
		RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			e.Vars = append(surroundings(e.WorkDir), "WORK="+e.WorkDir)
			env := e.Vars
			e.Defer(func() {
				if err := stopDaemon(env); err != nil {
					t.Error(err)
				}
			})
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": codeCommand, "until": untilCommand},
	})
}

// codeCommand is "code N PROGRAM ARGS…": it must exit with N.
func codeCommand(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// untilCommand is "until REGEXP PROGRAM ARGS…": it runs the program again and
// again until its output matches.
func untilCommand(ts *testscript.TestScript, _ bool, args []string) {
	want := regexp.MustCompile("(?m)" + args[0])
	for end := time.Now().Add(deadline); ; {
		_ = ts.Exec(args[1], args[2:]...)
		if want.MatchString(ts.ReadFile("stdout")) {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("never matched %s", want)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
