//go:build unix

package command_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/command"
	"github.com/reeverun/reeve/env/envtest"
	"github.com/reeverun/reeve/process"
)

// played runs a command with somebody at it, and returns what it wrote.
func played(t *testing.T, c *process.Command, play func(*command.Env, *envtest.Host)) (string, env.Result) {
	t.Helper()
	e, h := open(t).(*command.Env), envtest.NewHost(t)
	over := make(chan env.Result, 1)
	go func() {
		res, err := e.Execute(context.Background(), env.Input{EID: 1, Run: 1, Spec: &process.Spec{Command: c}}, h)
		if err != nil {
			t.Error(err)
		}
		over <- res
	}()
	<-h.Began
	play(e, h)
	res := <-over
	return h.Text(process.Stdout), res
}

func script(text string) *process.Command {
	return &process.Command{Program: "sh", Args: []string{"-c", text}}
}

func TestOpenStdin(t *testing.T) {
	c := script("cat; exit 3")
	c.Stdin = process.StdinOpen
	out, res := played(t, c, func(e *command.Env, _ *envtest.Host) {
		for _, s := range []string{"one", "", " two\n"} {
			if n, err := e.Input(t.Context(), 1, []byte(s)); n != len(s) || err != nil {
				t.Errorf("%d, %v", n, err)
			}
		}
		if err := e.Resize(1, process.Window{Rows: 1, Cols: 1}); !errors.Is(err, process.ErrNoInput) {
			t.Error(err)
		}
		if err := e.CloseInput(t.Context(), 1); err != nil {
			t.Error(err)
		}
	})
	if out != "one two\n" || res.Exit.Code != 3 {
		t.Errorf("%q, %+v", out, res.Exit)
	}
}

func TestTerminalIsTypedTo(t *testing.T) {
	c := script(`read x; stty size; echo "$x $TERM"`)
	c.PTY, c.Window, c.Env = true, &process.Window{Rows: 7, Cols: 70}, map[string]process.Secret{"TERM": "vt100"}
	out, _ := played(t, c, func(e *command.Env, _ *envtest.Host) {
		if err := e.Resize(1, process.Window{Rows: 50, Cols: 150}); err != nil {
			t.Error(err)
		}
		if _, err := e.Input(t.Context(), 1, []byte("word\r")); err != nil {
			t.Error(err)
		}
	})
	if out != "word\r\n50 150\r\nword vt100\r\n" { // it echoes and translates
		t.Errorf("%q", out)
	}
}

// What is given as stdin is typed first, and ends; others can type after it.
func TestTerminalStdin(t *testing.T) {
	for given, want := range map[string]string{"": "|", "a\nb\n": "a\nb\n|", "a\nb": "a\nb|"} {
		c := script("cat; printf '|'; cat")
		c.PTY, c.Stdin, c.StdinData, c.EnvClear = true, process.StdinBytes, process.Secret(given), true
		out, _ := played(t, c, func(e *command.Env, _ *envtest.Host) {
			if _, err := e.Input(t.Context(), 1, []byte("more\n")); err != nil {
				t.Error(err)
			}
			if err := e.CloseInput(t.Context(), 1); err != nil {
				t.Error(err)
			}
		})
		if out != want+"more\n" {
			t.Errorf("%q: %q", given, out)
		}
	}
}

// A stdin that nobody reads does not keep a run from ending, nor a kill.
func TestTerminalStdinNobodyReads(t *testing.T) {
	for name, end := range map[string]string{"by itself": "sleep 0.1", "killed": "sleep 1000"} {
		t.Run(name, func(t *testing.T) {
			c := script("stty raw; " + end)
			c.PTY, c.Stdin, c.StdinData = true, process.StdinBytes, process.Secret(strings.Repeat("x", 1<<20))
			played(t, c, func(e *command.Env, _ *envtest.Host) {
				if name == "killed" {
					e.Kill(1)
				}
			})
		})
	}
}

// Several write at a time: none is torn apart, and one that waits gives up.
func TestInputsTakeTurns(t *testing.T) {
	c := script("stty raw -echo; echo ready; head -c 60000 | tr -d '\\n' | fold -w 1000 | sort | uniq -c")
	c.PTY = true
	out, _ := played(t, c, func(e *command.Env, h *envtest.Host) {
		for h.Text(process.Stdout) == "" && t.Context().Err() == nil { // in lines it takes 4096 bytes
			time.Sleep(time.Millisecond)
		}
		var all sync.WaitGroup
		for _, letter := range []string{"a", "b", "c"} {
			all.Go(func() {
				for range 20 {
					if _, err := e.Input(t.Context(), 1, []byte(strings.Repeat(letter, 1000))); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
	})
	_, lines, _ := strings.Cut(out, "ready\n")
	if n := strings.Count(lines, "\n"); n != 3 {
		t.Errorf("%d kinds of lines: %.200q", n, lines)
	}
}

func TestInputToNobody(t *testing.T) {
	e := open(t).(*command.Env)
	if _, err := e.Input(t.Context(), 9, nil); !errors.Is(err, process.ErrNotRunning) {
		t.Error(err)
	}
	c := script("sleep 1000")
	c.Stdin = process.StdinOpen
	played(t, c, func(e *command.Env, _ *envtest.Host) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if n, err := e.Input(ctx, 1, make([]byte, 1<<20)); n == 0 || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%d, %v", n, err)
		}
		e.Kill(1)
	})
	played(t, script("read x"), func(e *command.Env, _ *envtest.Host) {
		if _, err := e.Input(t.Context(), 1, []byte("x")); !errors.Is(err, process.ErrNoInput) && !errors.Is(err, process.ErrNotRunning) {
			t.Error(err)
		}
	})
}

func TestTerminalsThatCannotBe(t *testing.T) {
	e := open(t).(*command.Env)
	for name, c := range map[string]*process.Command{
		"command.window":      {Program: "x", Window: &process.Window{Rows: 1, Cols: 1}},
		"command.window.cols": {Program: "x", PTY: true, Window: &process.Window{Rows: 1}},
		"command.stdin":       {Program: "x", PTY: true, Stdin: process.StdinInherit},
	} {
		if err := e.Check(&process.Spec{Command: c}); !errors.Is(err, process.ErrInvalid) || !strings.HasPrefix(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
