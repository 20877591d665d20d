package cli

import (
	"io"
	"os"

	"golang.org/x/term"
)

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// width is how many columns w shows; 0: it is no terminal and shows any number.
func width(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil || columns <= 0 {
		return 80
	}
	return columns
}

// palette returns the colours for w: none unless it is a terminal that shows
// them and the user did not say no (no-color.org).
func (a *App) palette(w io.Writer) palette {
	if no, _ := a.Env("NO_COLOR"); no != "" || !isTerminal(w) || a.dumb() {
		return palette{}
	}
	return palette{on: true}
}

// dumb reports whether the terminal cannot move its cursor.
func (a *App) dumb() bool {
	t, _ := a.Env("TERM")
	return t == "dumb"
}

// palette colours text, or leaves it.
type palette struct{ on bool }

func (p palette) paint(code, s string) string {
	if !p.on || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p palette) bold(s string) string   { return p.paint("1", s) }
func (p palette) dim(s string) string    { return p.paint("2", s) }
func (p palette) red(s string) string    { return p.paint("31", s) }
func (p palette) green(s string) string  { return p.paint("32", s) }
func (p palette) yellow(s string) string { return p.paint("33", s) }
func (p palette) blue(s string) string   { return p.paint("34", s) }
func (p palette) cyan(s string) string   { return p.paint("36", s) }
