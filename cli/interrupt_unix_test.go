//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// rig is a data directory with its daemon, and the program to use it with.
type rig struct {
	t   *testing.T
	env []string
	dir string
}

func newRig(t *testing.T) *rig {
	dir := t.TempDir()
	r := &rig{t: t, env: surroundings(dir), dir: dir}
	t.Cleanup(func() {
		if err := stopDaemon(r.env); err != nil {
			t.Error(err)
		}
	})
	return r
}

func (r *rig) command(args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(r.t.Context(), deadline)
	r.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, filepath.Join(binaryDir, binaryName), args...)
	cmd.Env, cmd.Dir = r.env, r.dir
	return cmd
}

// must runs a command that has to succeed and returns what it printed.
func (r *rig) must(args ...string) string {
	r.t.Helper()
	cmd := r.command(args...)
	cmd.Stderr = new(bytes.Buffer)
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("reeve %s: %v\n%s", strings.Join(args, " "), err, cmd.Stderr)
	}
	return string(out)
}

// until repeats a command until what it prints matches.
func (r *rig) until(pattern string, args ...string) {
	r.t.Helper()
	want := regexp.MustCompile(pattern)
	for end := time.Now().Add(deadline); !want.MatchString(r.must(args...)); {
		if time.Now().After(end) {
			r.t.Fatalf("reeve %s never printed %s", strings.Join(args, " "), pattern)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// session is a command that is being attended to.
type session struct {
	t      *testing.T
	cmd    *exec.Cmd
	out    *bufio.Reader
	stderr bytes.Buffer
}

func (r *rig) start(args ...string) *session {
	r.t.Helper()
	s := &session{t: r.t, cmd: r.command(args...)}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	s.out, s.cmd.Stderr = bufio.NewReader(out), &s.stderr
	if err := s.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	return s
}

// line waits for a line of output.
func (s *session) line(want string) {
	s.t.Helper()
	got, err := s.out.ReadString('\n')
	if err != nil || got != want+"\n" {
		s.t.Fatalf("%q, %v; want %q\n%s", got, err, want, &s.stderr)
	}
}

func (s *session) signal(sig os.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// end waits for the exit code.
func (s *session) end(want int) (rest string) {
	s.t.Helper()
	b, _ := io.ReadAll(s.out)
	_ = s.cmd.Wait()
	if got := s.cmd.ProcessState.ExitCode(); got != want {
		s.t.Errorf("exit code %d, want %d (%s)\n%s", got, want, s.cmd.ProcessState, &s.stderr)
	}
	return string(b)
}

func TestInterruptsArePassedOn(t *testing.T) {
	r := newRig(t)
	for sig, name := range map[syscall.Signal]string{syscall.SIGINT: "INT", syscall.SIGTERM: "TERM"} {
		s := r.start("run", "--", "sh", "-c", `trap "echo bye; exit 42" `+name+`; echo ready; while :; do sleep 0.02; done`)
		s.line("ready")
		s.signal(sig)
		if rest := s.end(42); rest != "bye\n" {
			t.Errorf("%s: %q", name, rest)
		}
	}
}

// A program without a handler dies of Ctrl-C as it would by itself, and Reeve
// has nothing to add.
func TestInterruptEndsAnOrdinaryProgram(t *testing.T) {
	r := newRig(t)
	r.must("run", "--", "true") // its daemon is there
	s := r.start("run", "--", "sh", "-c", "echo ready; exec sleep 1000")
	s.line("ready")
	s.signal(syscall.SIGINT)
	if s.end(130); s.stderr.Len() > 0 {
		t.Errorf("%s", &s.stderr)
	}
}

func TestSecondInterruptKills(t *testing.T) {
	r := newRig(t)
	s := r.start("run", "--", "sh", "-c", `trap "echo no" INT TERM; echo ready; while :; do sleep 0.02; done`)
	s.line("ready")
	s.signal(syscall.SIGINT)
	s.line("no")
	s.signal(syscall.SIGINT)
	s.end(130)
	if !strings.Contains(s.stderr.String(), "was canceled") {
		t.Errorf("%s", &s.stderr)
	}
	if left := r.must("ps", "--json"); left != "" {
		t.Error(left)
	}
}

func TestInterruptOfAQueuedJob(t *testing.T) {
	r := newRig(t)
	r.must("serve", "--detach", "--listen", "none", "--concurrency", "command=1")
	r.must("run", "--detach", "--", "sleep", "1000")
	s := r.start("run", "--ref", "waiting", "--", "touch", "ran")
	r.until(`"ref":"waiting"`, "ps", "--json")
	s.signal(syscall.SIGINT)
	s.end(130)
	r.must("kill", "1")
	if _, err := os.Stat(filepath.Join(r.dir, "ran")); err == nil {
		t.Error("it was run")
	}
}

// A program whose reader is gone would end by SIGPIPE; so does a job.
func TestClosedPipeEndsTheJob(t *testing.T) {
	r := newRig(t)
	r.must("run", "--", "true")
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", "reeve run --ref endless -- yes | head -1")
	cmd.Env, cmd.Dir = r.env, r.dir
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "y\n" {
		t.Errorf("%q, %v", out, err)
	}
	r.until(`"exitState":"canceled"`, "show", "endless", "--json")
}

// The command outlives its daemon and reports what became of the job.
func TestDaemonDiesMeanwhile(t *testing.T) {
	r := newRig(t)
	s := r.start("run", "--", "sh", "-c", "echo ready; exec sleep 1000")
	s.line("ready")
	var v versions
	if err := json.Unmarshal([]byte(r.must("version", "--json")), &v); err != nil || v.Daemon == nil {
		t.Fatalf("%+v, %v", v, err)
	}
	if err := syscall.Kill(v.Daemon.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r.until(`"daemon":null`, "version", "--json")
	r.must("serve", "--detach", "--listen", "none")
	if strings.Contains(r.must("show", "1", "--json"), `"state":"running"`) {
		r.must("kill", "1") // taken back by the new daemon
		s.end(130)
		return
	}
	s.end(1)
	if !strings.Contains(s.stderr.String(), "host process exited") {
		t.Errorf("%s", &s.stderr)
	}
}

// A stopped daemon is no reason to leave: the next one is found.
func TestDaemonIsReplacedMeanwhile(t *testing.T) {
	r := newRig(t)
	r.must("run", "--ref", "job", "--", "true")
	s := r.start("events", "-f", "--json", "--kind", "finalized", "--after", "0")
	got, err := s.out.ReadString('\n')
	if err != nil || !strings.Contains(got, `"process":1`) {
		t.Fatalf("%q, %v", got, err)
	}
	if err := stopDaemon(r.env); err != nil {
		t.Fatal(err)
	}
	r.must("serve", "--detach", "--listen", "none")
	r.must("run", "--", "true")
	got, err = s.out.ReadString('\n')
	if err != nil || !strings.Contains(got, `"process":2`) {
		t.Fatalf("%q, %v\n%s", got, err, &s.stderr)
	}
	s.signal(syscall.SIGINT)
	_ = s.cmd.Wait()
}
