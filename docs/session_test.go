//go:build linux

package docs_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience bounds what a block may take. Nothing waits it out unless it fails.
const patience = time.Minute

// session is a shell that runs the blocks of one document, one after the other,
// as a reader would: what one sets, starts or writes is there for the next. Its
// home is a folder of its own.
type session struct {
	t   *testing.T
	doc *document

	dir    string // all of it; "" until something is run
	home   string
	stand  standIns
	shell  *exec.Cmd
	input  *os.File
	status *bufio.Scanner // of each step that is over
	steps  int
}

// start opens the shell. Steps are files that it sources, so that they neither
// read its input nor end with it.
func (s *session) start() {
	if s.dir != "" {
		return
	}
	s.t.Helper()
	var err error
	if s.dir, err = os.MkdirTemp("", "reeve-docs-"); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = os.RemoveAll(s.dir) })
	s.home = filepath.Join(s.dir, "ada")
	s.make(filepath.Join(s.home, "work"), filepath.Join(s.dir, "bin"))
	s.stand = newStandIns(s.t)
	s.programs()
	reads, input := s.pipe()
	results, status := s.pipe()
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	s.shell = exec.CommandContext(ctx, "sh")
	s.shell.Dir, s.shell.Env = filepath.Join(s.home, "work"), s.environment()
	s.shell.Stdin, s.shell.ExtraFiles = reads, []*os.File{status}
	s.shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := s.shell.Start(); err != nil {
		s.t.Fatal(err)
	}
	_, _ = reads.Close(), status.Close()
	s.input, s.status = input, bufio.NewScanner(results)
	s.t.Cleanup(func() {
		defer cancel()
		s.end()
		_ = results.Close()
	})
}

func (s *session) make(dirs ...string) {
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *session) pipe() (r, w *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		s.t.Fatal(err)
	}
	return r, w
}

// end closes the shell and stops the daemons it left, with all their jobs.
func (s *session) end() {
	_ = s.input.Close()
	_ = s.shell.Wait()
	_ = syscall.Kill(-s.shell.Process.Pid, syscall.SIGKILL) // what it left in the background
	for _, pid := range s.daemons() {
		_ = syscall.Kill(pid, syscall.SIGTERM)
		for end := time.Now().Add(patience); alive(pid); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				log, _ := os.ReadFile(filepath.Join(s.home, ".local/share/reeve/daemon.log"))
				s.t.Errorf("%s: the daemon does not stop:\n%s", s.doc.name, log)
				_ = syscall.Kill(pid, syscall.SIGKILL)
				return
			}
		}
	}
}

// execute runs a step and returns what it printed and its exit code; -1 if the
// shell is gone with it.
func (s *session) execute(script string) (out string, code int) {
	s.t.Helper()
	s.start()
	s.steps++
	file, printed := filepath.Join(s.dir, fmt.Sprint("step", s.steps)), filepath.Join(s.dir, fmt.Sprint("out", s.steps))
	if err := os.WriteFile(file, []byte(s.adapt(script)), 0o600); err != nil {
		s.t.Fatal(err)
	}
	_, _ = fmt.Fprintf(s.input, "(exit $last); . %s </dev/null >%s 2>&1 3>&-\nlast=$?; set +ex; echo $last >&3\n", file, printed)
	code = -1
	if s.status.Scan() {
		_, _ = fmt.Sscan(s.status.Text(), &code)
	}
	b, err := os.ReadFile(printed)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b), code
}

// script runs a block of which every command has to succeed.
func (s *session) script(b block) {
	s.t.Helper()
	if out, code := s.execute("set -ex\n" + b.text); code != 0 {
		s.t.Errorf("%s: exit code %d\n%s", b.where(s.doc), code, out)
	}
}

// converse runs a block command by command and compares what each prints with
// what is shown. Commands that only look are repeated until they see it.
func (s *session) converse(b block) {
	s.t.Helper()
	s.start()
	for _, step := range b.steps() {
		want := s.expected(step.want)
		end := time.Now().Add(patience / 4)
		for {
			out, code := s.execute(step.command)
			if code >= 0 && want.MatchString(squeeze(out)) {
				break
			}
			if code < 0 || !looks(step.command) || time.Now().After(end) {
				s.t.Errorf("%s: $ %sprinted\n%s\nthe document has\n%s", b.where(s.doc), step.command, out, step.want)
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
}

// looks tells whether a command changes nothing, so that it can be repeated.
func looks(command string) bool {
	words := strings.Fields(command)
	if len(words) < 2 || words[0] != "reeve" {
		return regexp.MustCompile(`^curl -s "?\$R`).MatchString(command) && !strings.Contains(command, " -d ")
	}
	switch words[1] {
	case "ps", "tree", "show", "events", "logs", "transcript", "env", "version":
		return true
	case "tools", "approvals":
		return len(words) == 2 || words[2] == "show" || words[2] == "services"
	}
	return false
}
