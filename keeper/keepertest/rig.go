package keepertest

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/keeper"
)

// patience bounds every wait for something that must happen.
const patience = 20 * time.Second

// rig is a spawner under test.
type rig struct {
	*testing.T
	keeper.Spawner
}

// run is a started job with its streams.
type run struct {
	keeper.Job
	t     *testing.T
	stdin *os.File
	out   *os.File
	lines *bufio.Reader
}

func env() []string { return []string{"PATH=" + os.Getenv("PATH")} }

// ctx is a context for what must happen soon.
func (r *rig) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	r.Cleanup(cancel)
	return ctx
}

// start spawns a program with pipes for stdin and stdout.
func (r *rig) start(s keeper.Spec) *run {
	r.Helper()
	p, err := r.try(s)
	if err != nil {
		r.Fatalf("spawn %s: %v", s.Path, err)
	}
	return p
}

func (r *rig) try(s keeper.Spec) (*run, error) {
	r.Helper()
	in, stdin := r.pipe()
	out, stdout := r.pipe()
	s.Stdin, s.Stdout = in, stdout
	if s.Env == nil {
		s.Env = env()
	}
	j, err := r.Spawn(r.ctx(), s)
	in.Close()
	stdout.Close()
	if err != nil {
		return nil, err
	}
	r.Cleanup(j.Release)
	r.Cleanup(j.Kill)
	return &run{Job: j, t: r.T, stdin: stdin, out: out, lines: bufio.NewReader(out)}, nil
}

func (r *rig) pipe() (*os.File, *os.File) {
	r.Helper()
	pr, pw, err := os.Pipe()
	if err != nil {
		r.Fatal(err)
	}
	_ = pr.SetReadDeadline(time.Now().Add(patience))
	r.Cleanup(func() { pr.Close(); pw.Close() })
	return pr, pw
}

// sh runs a script of the shell.
func (r *rig) sh(script string) *run {
	r.Helper()
	return r.start(keeper.Spec{Path: "/bin/sh", Args: []string{"-c", script}})
}

// line returns the next line of stdout, without its end.
func (p *run) line() string {
	p.t.Helper()
	s, err := p.lines.ReadString('\n')
	if err != nil {
		p.t.Fatalf("read a line: %v (got %q)", err, s)
	}
	return strings.TrimSuffix(s, "\n")
}

// expect reads n lines that all are want.
func (p *run) expect(n int, want string) {
	p.t.Helper()
	for i := range n {
		if got := p.line(); got != want {
			p.t.Fatalf("line %d of %d: %q instead of %q", i+1, n, got, want)
		}
	}
}

// rest reads stdout to its end.
func (p *run) rest() string {
	p.t.Helper()
	var b strings.Builder
	if _, err := p.lines.WriteTo(&b); err != nil {
		p.t.Fatalf("read to the end: %v", err)
	}
	return b.String()
}

// exits waits for the leader.
func (r *rig) exits(p *run, want keeper.Exit) {
	r.Helper()
	got, err := p.Wait(r.ctx())
	if err != nil {
		r.Fatalf("wait: %v", err)
	}
	if got != want {
		r.Fatalf("exit %+v instead of %+v", got, want)
	}
}

// empties waits for the tree and looks for survivors in another way.
func (r *rig) empties(p *run, m marker) {
	r.Helper()
	if err := p.WaitEmpty(r.ctx()); err != nil {
		r.Fatalf("wait for the tree: %v; members %v", err, p.Members())
	}
	if left := m.alive(r.T); len(left) != 0 {
		r.Fatalf("the tree was called empty, but these live:\n%s", strings.Join(left, "\n"))
	}
	if n := p.Job.(keeper.Countable).Count(); n != 0 {
		r.Errorf("%d are counted after the end", n)
	}
	if left := p.Members(); len(left) != 0 {
		r.Fatalf("an empty tree has members: %v", left)
	}
}

// marker is an argument of sleep that no other process has.
type marker string

func newMarker() marker { return marker(fmt.Sprintf("600.%09d", rand.IntN(1e9))) }

// script puts the marker in place of M.
func (m marker) script(s string) string { return strings.ReplaceAll(s, "MARK", string(m)) }

// alive lists the command lines that hold the marker, by the machine's own
// means.
func (m marker) alive(t *testing.T) []string {
	t.Helper()
	var all []string
	if runtime.GOOS == "linux" {
		files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, f := range files {
			b, _ := os.ReadFile(f)
			all = append(all, filepath.Base(filepath.Dir(f))+" "+strings.ReplaceAll(string(b), "\x00", " "))
		}
	} else {
		b, err := exec.Command("ps", "-axww", "-o", "pid,command").Output()
		if err != nil {
			t.Fatal(err)
		}
		all = strings.Split(string(b), "\n")
	}
	var out []string
	for _, s := range all {
		if strings.Contains(s, string(m)) {
			out = append(out, s)
		}
	}
	return out
}

// eventually polls a condition that nothing announces.
func (r *rig) eventually(what string, ok func() bool) {
	r.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.Fatalf("it did not come to pass: %s", what)
		}
	}
}

// rounds is how often something is tried: more often by make torture.
func rounds(n int) int {
	if os.Getenv("REEVE_TORTURE") != "" {
		return 4 * n
	}
	return n
}
