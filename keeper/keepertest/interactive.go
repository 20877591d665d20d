package keepertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/reeverun/reeve/keeper"
)

// interactive starts a script that takes input. Its output goes to a file.
func (r *rig) interactive(s keeper.Spec, script string) (keeper.Job, keeper.Interactive, *os.File) {
	r.Helper()
	out, err := os.CreateTemp(r.TempDir(), "out")
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { out.Close() })
	s.Path, s.Args, s.Env, s.Stdout = "/bin/sh", []string{"-c", script}, env(), out
	j, err := r.Spawn(r.ctx(), s)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(j.Release)
	r.Cleanup(j.Kill)
	in, ok := j.(keeper.Interactive)
	if !ok {
		r.Fatal("the job is not interactive")
	}
	return j, in, out
}

func (r *rig) shows(out *os.File, want string) {
	r.Helper()
	var got []byte
	r.eventually(fmt.Sprintf("%q is shown", want), func() bool {
		got, _ = os.ReadFile(out.Name())
		return strings.Contains(string(got), want)
	})
}

func (r *rig) types(in keeper.Interactive, s string) {
	r.Helper()
	if n, err := in.Input(r.ctx(), []byte(s)); n != len(s) || err != nil {
		r.Fatalf("input: %d of %d bytes, %v", n, len(s), err)
	}
}

func (r *rig) ends(j keeper.Job, want keeper.Exit, out *os.File, shown string) {
	r.Helper()
	if e, err := j.Wait(r.ctx()); e != want || err != nil {
		r.Errorf("%+v, %v", e, err)
	}
	if err := j.WaitEmpty(r.ctx()); err != nil {
		r.Errorf("wait for the tree: %v", err)
	}
	if b, err := os.ReadFile(out.Name()); err != nil || string(b) != shown {
		r.Errorf("shown %.200q, %v instead of %.200q", b, err, shown)
	}
}

func pipeInput(r *rig) {
	j, in, out := r.interactive(keeper.Spec{StdinPipe: true}, `read x; echo "got $x"; wc -c; exit 3`)
	r.types(in, "one\n")
	r.shows(out, "got one\n")
	r.types(in, strings.Repeat("x", 300_000))
	if err := in.CloseInput(); err != nil {
		r.Errorf("close: %v", err)
	}
	r.ends(j, keeper.Exit{Code: 3}, out, "got one\n300000\n")
	if _, err := in.Input(r.ctx(), []byte("late")); !errors.Is(err, keeper.ErrNoInput) {
		r.Errorf("input after the end: %v", err)
	}
	if err := in.Resize(keeper.Window{Rows: 1, Cols: 1}); !errors.Is(err, keeper.ErrNoInput) {
		r.Errorf("resize of a pipe: %v", err)
	}
}

// inputWaits: a program that does not read holds its writer back, not others,
// and the writer can give up.
func inputWaits(r *rig) {
	j, in, _ := r.interactive(keeper.Spec{StdinPipe: true}, "sleep 600")
	enough := errors.New("enough")
	n, err := 0, enough
	// A busy machine takes nothing in a short time.
	for wait := 50 * time.Millisecond; n == 0 && errors.Is(err, enough) && wait < patience; wait *= 4 {
		ctx, cancel := context.WithTimeoutCause(context.Background(), wait, enough)
		n, err = in.Input(ctx, bytes.Repeat([]byte("x"), 1<<20))
		cancel()
	}
	if !errors.Is(err, enough) || n <= 0 || n >= 1<<20 {
		r.Errorf("%d bytes taken, %v", n, err)
	}
	other, err := r.try(keeper.Spec{Path: "/bin/true"})
	if err != nil {
		r.Fatal(err)
	}
	r.exits(other, keeper.Exit{})
	done := make(chan error, 1)
	go func() {
		_, err := in.Input(context.Background(), bytes.Repeat([]byte("x"), 1<<20))
		done <- err
	}()
	j.Kill()
	select {
	case err := <-done:
		if !errors.Is(err, keeper.ErrNoInput) {
			r.Errorf("input to the dead: %v", err)
		}
	case <-time.After(patience):
		r.Error("a write to the dead hangs")
	}
}

func noInput(r *rig) {
	p := r.sh("read x")
	in, ok := p.Job.(keeper.Interactive)
	if !ok {
		return
	}
	if _, err := in.Input(r.ctx(), []byte("x")); !errors.Is(err, keeper.ErrNoInput) {
		r.Errorf("input: %v", err)
	}
	if err := in.CloseInput(); !errors.Is(err, keeper.ErrNoInput) {
		r.Errorf("close: %v", err)
	}
}

func terminal(r *rig) {
	j, in, out := r.interactive(keeper.Spec{PTY: &keeper.Window{Rows: 33, Cols: 77}},
		`test -t 0 && test -t 1 && test -t 2 && echo terminal; stty size < /dev/tty; read x; echo "got $x"; i=0; while [ $i -lt 2000 ]; do i=$((i+1)); echo $i; done; exit 4`)
	r.shows(out, "33 77\n")
	r.types(in, "typed\n")
	want := "terminal\n33 77\ngot typed\n"
	for i := 1; i <= 2000; i++ {
		want += fmt.Sprintln(i)
	}
	r.ends(j, keeper.Exit{Code: 4}, out, want)
}

// terminalCooked: it echoes and translates, and erases whole characters.
func terminalCooked(r *rig) {
	j, in, out := r.interactive(keeper.Spec{PTY: &keeper.Window{Rows: 5, Cols: 50}, Cooked: true}, `read x; echo "got $x"`)
	r.types(in, "aü\x7f\r")
	if e, err := j.Wait(r.ctx()); e.Code != 0 || err != nil {
		r.Errorf("%+v, %v", e, err)
	}
	r.shows(out, "got a\r\n")
	r.shows(out, "aü\b \b\r\n")
}

func terminalResize(r *rig) {
	j, in, out := r.interactive(keeper.Spec{PTY: &keeper.Window{Rows: 10, Cols: 10}},
		`trap 'stty size' WINCH; echo up; while read x; do echo "got $x"; done; echo over`)
	r.shows(out, "up\n")
	if err := in.Resize(keeper.Window{Rows: 50, Cols: 120}); err != nil {
		r.Fatal(err)
	}
	r.types(in, "a\n") // the shell runs its trap between commands
	r.shows(out, "50 120\n")
	if err := in.CloseInput(); err != nil {
		r.Fatal(err)
	}
	r.shows(out, "over\n")
	if e, err := j.Wait(r.ctx()); e.Code != 0 || err != nil {
		r.Errorf("%+v, %v", e, err)
	}
}

// terminalLeftovers: the tree is empty when what it showed is in the file, and
// not before its last process has gone.
func terminalLeftovers(r *rig) {
	j, _, out := r.interactive(keeper.Spec{PTY: &keeper.Window{Rows: 1, Cols: 1}},
		`trap '' HUP; (sleep 0.1; echo last) & echo first; exit 5`)
	r.ends(j, keeper.Exit{Code: 5}, out, "first\nlast\n")
}

func terminalRefused(r *rig) {
	for range 3 {
		_, err := r.Spawn(r.ctx(), keeper.Spec{Path: "/no/such/program", PTY: &keeper.Window{Rows: 1, Cols: 1}})
		refused(r, err, keeper.OpExec, os.ErrNotExist)
		_, err = r.Spawn(r.ctx(), keeper.Spec{Path: "/no/such/program", StdinPipe: true})
		refused(r, err, keeper.OpExec, os.ErrNotExist)
	}
}
