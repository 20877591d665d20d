package cli

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
	"golang.org/x/term"
)

// attachment connects this terminal with a run: what it shows, what is typed,
// and the size of the window.
type attachment struct {
	*job
	command *process.CommandRecord // nil: it is no command
	leave   detachKeys
	deaf    bool                                                 // pass nothing on
	redraw  bool                                                 // have a program that draws the screen do so
	from    func(context.Context, process.Stream) (int64, error) // where to begin; nil: at the beginning
	queued  bool                                                 // it may not have started
}

// show is the job's show: it returns when the run is over, or left.
func (t *attachment) show(ctx context.Context) error {
	if err := t.awaitStart(ctx); err != nil {
		return err
	}
	restore := func() {}
	if t.onTerminal() {
		var err error
		if restore, err = t.app.rawTerminal(); err != nil {
			return err
		}
	}
	defer restore()
	var beside sync.WaitGroup
	defer beside.Wait()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	beside.Go(func() {
		defer onPanic(restore)
		if err := t.typing(ctx); err != nil {
			cancel(err)
		}
	})
	beside.Go(func() {
		defer onPanic(restore)
		t.followWindow(ctx)
	})
	err := t.followOutput(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// onPanic calls f before a panic of another goroutine ends the program: nobody
// else would. It is deferred.
func onPanic(f func()) {
	if p := recover(); p != nil {
		f()
		panic(p)
	}
}

// terminal reports whether the process has one.
func (t *attachment) terminal() bool { return t.command != nil && t.command.PTY }

// takesInput reports whether the process can be written to.
func (t *attachment) takesInput() bool {
	return t.terminal() || t.command != nil && unset(t.command.Stdin) == string(process.StdinOpen)
}

// onTerminal reports whether a person sits at both ends.
func (t *attachment) onTerminal() bool {
	in := t.app.Stdin
	return t.terminal() && !t.deaf && in != nil && term.IsTerminal(int(in.Fd()))
}

// awaitStart waits for a run that is queued: until it starts Ctrl-C must reach
// this command.
func (t *attachment) awaitStart(ctx context.Context) error {
	if !t.queued || !t.takesInput() {
		return nil
	}
	for ev, err := range t.client.Events(ctx, t.id, 0) {
		switch {
		case err != nil && ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return err
		case ev.Run == t.run && (ev.Kind == process.KindProcessStarted || ev.Kind == process.KindFinalized):
			return nil
		}
	}
	return nil
}

// typing passes standard input on.
func (t *attachment) typing(ctx context.Context) error {
	if t.deaf || !t.takesInput() || !isInput(t.app.Stdin) {
		return nil
	}
	leave := t.leave
	if !t.onTerminal() {
		leave = detachKeys{} // a pipe is passed on as it is, and a line has Ctrl-C
	}
	return newKeyboard(t.app, t.client, t.id, leave).run(ctx)
}

// followWindow keeps the process's terminal as large as this one.
func (t *attachment) followWindow(ctx context.Context) {
	if !t.onTerminal() {
		return
	}
	changed, stop := resizes()
	defer stop()
	if w, ok := t.app.window(); ok && t.redraw && w.Rows > 1 {
		t.resize(ctx, api.Window{Rows: w.Rows - 1, Cols: w.Cols}) // else it would be no change, and not be told
	}
	for {
		if w, ok := t.app.window(); ok {
			t.resize(ctx, w)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// resize does without if it cannot be: a screen of the wrong size is better
// than none.
func (t *attachment) resize(ctx context.Context, w api.Window) { _ = t.client.Resize(ctx, t.id, w) }

// window is the size of this terminal.
func (a *App) window() (w api.Window, ok bool) {
	if a.Stdin == nil {
		return w, false
	}
	cols, rows, err := term.GetSize(int(a.Stdin.Fd()))
	if err != nil || cols < 1 || rows < 1 || cols > 1<<16-1 || rows > 1<<16-1 {
		return w, false
	}
	return api.Window{Rows: uint16(rows), Cols: uint16(cols)}, true
}

// followOutput shows what the process writes, to the end of the run.
func (t *attachment) followOutput(ctx context.Context) error {
	streams := []process.Stream{process.Stdout, process.Stderr}
	if t.terminal() {
		streams = streams[:1]
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	for _, s := range streams {
		all.Go(func() {
			if err := t.followStream(ctx, s); err != nil {
				cancel(err)
			}
		})
	}
	all.Wait()
	if err := context.Cause(ctx); !errors.Is(err, process.ErrNotKept) {
		return err
	}
	return process.Errorf(process.CodeNotKept, "nothing that %s writes is kept, so there is nothing to show: create it with the raw output persist or memory", t.id)
}

func (t *attachment) followStream(ctx context.Context, s process.Stream) error {
	log := client.Log{Process: t.id, Run: t.run, Stream: s}
	if t.from != nil {
		var err error
		if log.From, err = t.from(ctx, s); err != nil {
			return err
		}
	}
	_, err := t.client.FollowOutput(ctx, t.writer(s), log)
	return err
}

// writer shows a stream. A terminal that was not made for people leaves it to
// this one to begin lines at their beginning.
func (t *attachment) writer(s process.Stream) io.Writer {
	w := t.screen.stream(s)
	if t.onTerminal() && t.command.Window == nil {
		return returning{w}
	}
	return w
}
