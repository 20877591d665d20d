//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func (r *rig) write(name, text string) string {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
	return path
}

// Ctrl-C ends a tree in order, the last one first.
func TestInterruptEndsATreeInOrder(t *testing.T) {
	r := newRig(t)
	file := r.write("app.yaml", `
children:
  - {name: one, environment: command, code: "trap 'echo bye one; exit 0' TERM; echo ready; while :; do sleep 0.02; done"}
  - {name: two, environment: command, code: "trap 'echo bye two; exit 0' TERM; sleep 0.2; echo ready; while :; do sleep 0.02; done"}
`)
	s := r.start("up", file)
	s.line("one | ready")
	s.line("two | ready")
	s.signal(syscall.SIGINT)
	if rest := s.end(130); rest != "two | bye two\none | bye one\n" {
		t.Errorf("%q", rest)
	}
	if left := r.must("ps"); left != "" {
		t.Errorf("left: %s", left)
	}
}

// A second Ctrl-C does not wait for those that do not listen.
func TestSecondInterruptKillsATree(t *testing.T) {
	r := newRig(t)
	file := r.write("app.yaml", `
children:
  - {name: deaf, shutdown: 10m, environment: command, code: "trap 'echo no' TERM; echo ready; while :; do sleep 0.02; done"}
`)
	s := r.start("up", file)
	s.line("deaf | ready")
	s.signal(syscall.SIGINT)
	s.line("deaf | no")
	s.signal(syscall.SIGINT)
	s.end(130)
	if left := r.must("ps"); left != "" || !strings.Contains(s.stderr.String(), "was canceled") {
		t.Errorf("left: %s\n%s", left, &s.stderr)
	}
}

// The example of docs/supervisors.md does what the docs say.
func TestSupervisorOfTheDocs(t *testing.T) {
	doc, err := os.ReadFile("../docs/supervisors.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(doc), "```yaml\n")
	text, rest, _ := strings.Cut(text, "```\n")
	_, printed, _ := strings.Cut(rest, "$ reeve up shop.yaml\n")
	printed, _, _ = strings.Cut(printed, "```")
	r := newRig(t)
	s := r.start("up", r.write("shop.yaml", text))
	want := map[string]bool{}
	for line := range strings.Lines(printed) {
		if !strings.Contains(line, "[") { // notes are on stderr
			want[line] = true
		}
	}
	for len(want) > 0 {
		line, err := s.out.ReadString('\n')
		if err != nil || !want[line] {
			t.Fatalf("%q, %v; still wanted: %v\n%s", line, err, want, &s.stderr)
		}
		delete(want, line)
	}
	s.signal(syscall.SIGINT)
	s.end(130)
	if !strings.Contains(s.stderr.String(), "migrate | [succeeded]\n") {
		t.Errorf("%s", &s.stderr)
	}
}
