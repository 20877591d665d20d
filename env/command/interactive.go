package command

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/process"
)

// plainWindow is the size of a terminal that nobody looks at.
var plainWindow = keeper.Window{Rows: 24, Cols: 80}

// defaultTerm is what programs take a terminal for if nobody says what it is.
const defaultTerm = "xterm"

// endOfFile is what a person types to end the input.
const endOfFile = "\x04"

// Input writes to a command's terminal or open stdin.
func (e *Env) Input(ctx context.Context, eid process.ID, p []byte) (n int, err error) {
	err = e.interact(eid, func(r *run, in keeper.Interactive) error {
		n, err = r.write(ctx, in, p)
		return err
	})
	return n, err
}

// CloseInput ends a command's stdin, or types the end of file.
func (e *Env) CloseInput(ctx context.Context, eid process.ID) error {
	return e.interact(eid, func(r *run, in keeper.Interactive) error {
		done, err := r.takeTurn(ctx)
		if err != nil {
			return err
		}
		defer done()
		return in.CloseInput()
	})
}

// Resize changes the size of a command's terminal.
func (e *Env) Resize(eid process.ID, w process.Window) error {
	return e.interact(eid, func(_ *run, in keeper.Interactive) error { return in.Resize(keeper.Window(w)) })
}

// interact calls f with what takes a run's input, spawned or adopted.
func (e *Env) interact(eid process.ID, f func(*run, keeper.Interactive) error) error {
	r := e.find(eid)
	if r == nil || r.attached() == nil {
		return process.ErrNotRunning
	}
	in, ok := r.attached().(keeper.Interactive)
	if !ok {
		return process.ErrNoInput
	}
	err := f(r, in)
	if errors.Is(err, keeper.ErrNoInput) {
		return process.ErrNoInput
	}
	return err
}

func (r *run) write(ctx context.Context, in keeper.Interactive, p []byte) (int, error) {
	done, err := r.takeTurn(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	return in.Input(ctx, p)
}

// takeTurn waits until nobody else writes: what two people type is not mixed
// within a write, and a keeper takes one at a time.
func (r *run) takeTurn(ctx context.Context) (done func(), err error) {
	r.mu.Lock()
	if r.turn == nil {
		r.turn = make(chan struct{}, 1)
	}
	turn := r.turn
	r.mu.Unlock()
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// typesStdin reports whether the command's stdin is typed into its terminal.
func typesStdin(cmd *process.Command) bool { return cmd.PTY && cmd.Stdin == process.StdinBytes }

// reserveInput gives typeStdin the first turn. It is called before anybody hears
// of the run.
func (r *run) reserveInput(cmd *process.Command) {
	if typesStdin(cmd) {
		r.turn = make(chan struct{}, 1)
		r.turn <- struct{}{}
	}
}

// typeStdin types what a command with a terminal was given as stdin, and the
// end of file, in the turn that was reserved. What it returns ends that and
// waits.
func (r *run) typeStdin(cmd *process.Command, job keeper.Job) (end func()) {
	in, ok := job.(keeper.Interactive)
	if !typesStdin(cmd) || !ok {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var typing sync.WaitGroup
	typing.Go(func() {
		defer func() { <-r.turn }()
		_, _ = in.Input(ctx, typed(cmd.StdinData.Reveal())) // it ends with the program, if not before
	})
	return func() {
		cancel()
		typing.Wait()
	}
}

// typed is a text and the end of file. Within a line the first of two only ends
// that.
func typed(text string) []byte {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += endOfFile
	}
	return []byte(text + endOfFile)
}

// connect asks the keeper for what takes a command's input while it runs.
func connect(k *keeper.Spec, cmd *process.Command) {
	k.PTY, k.Cooked, k.StdinPipe = windowOf(cmd), cmd.Window != nil, cmd.Stdin == process.StdinOpen
	if cmd.PTY {
		k.Env = withTerm(k.Env)
	}
}

// windowOf is the size of a command's terminal; nil: it has none.
func windowOf(c *process.Command) *keeper.Window {
	switch {
	case !c.PTY:
		return nil
	case c.Window == nil:
		w := plainWindow
		return &w
	}
	w := keeper.Window(*c.Window)
	return &w
}

// withTerm names the terminal if the environment does not.
func withTerm(vars []string) []string {
	if slices.ContainsFunc(vars, func(kv string) bool { return strings.HasPrefix(kv, "TERM=") && kv != "TERM=" }) {
		return vars
	}
	vars = slices.DeleteFunc(vars, func(kv string) bool { return kv == "TERM=" })
	return append(vars, "TERM="+defaultTerm)
}

// checkTerminal refuses what no terminal can be.
func checkTerminal(c *process.Command) error {
	switch {
	case c.PTY && runtime.GOOS == "windows":
		return process.Invalid("command.pty", "there are no terminals for programs on Windows: leave it out")
	case c.Window != nil && !c.PTY:
		return process.Invalid("command.window", "is the size of a terminal: give it with pty")
	case c.PTY && (c.Stdin == process.StdinInherit || c.Stdin == process.StdinOpen):
		return process.Invalid("command.stdin", "cannot be %s with pty: a terminal takes input anyway", c.Stdin)
	case c.Window != nil:
		return c.Window.Check("command.window")
	}
	return nil
}
