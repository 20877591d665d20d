package cli

import (
	"bytes"
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// saneScreen undoes what a program that was left, or killed, may have done to
// the screen: colours, cursor, key modes, mouse, pasting, the other screen.
const saneScreen = "\x1b[0m\x1b[?25h\x1b[?1l\x1b>\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?1047l"

// rawTerminal passes every key on, until restore, which may be called by anyone
// at any time.
func (a *App) rawTerminal() (restore func(), err error) {
	fd := int(a.Stdin.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return nil, err
	}
	a.raw.Store(true)
	return sync.OnceFunc(func() {
		if isTerminal(a.Stdout) {
			_, _ = io.WriteString(a.Stdout, saneScreen)
		}
		_ = term.Restore(fd, before)
		a.raw.Store(false)
	}), nil
}

// isInput reports whether f is something that people or programs write to: a
// terminal, a pipe or a file. Under cron it is a device, whose end means nothing.
func isInput(f *os.File) bool { return f != nil && (term.IsTerminal(int(f.Fd())) || isPiped(f)) }

// returning begins each line at its beginning, which a raw terminal does not do.
type returning struct{ w io.Writer }

// Write counts the bytes it was given.
func (r returning) Write(b []byte) (int, error) {
	if _, err := r.w.Write(bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n"))); err != nil {
		return 0, err
	}
	return len(b), nil
}
