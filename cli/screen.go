package cli

import (
	"io"
	"sync"

	"github.com/reeverun/reeve/process"
)

// clearLine erases the line of the cursor and goes to its beginning.
const clearLine = "\r\x1b[K"

// screen passes a job's bytes on untouched and lets a status line share the
// terminal with them: the line is erased before output that goes to the same
// terminal and drawn again after it, unless that left the cursor in the middle
// of a line of its own.
type screen struct {
	out, err  io.Writer
	outShared bool // out is the terminal of the status line
	errShared bool
	status    bool // there is a status line, on err

	mu      sync.Mutex
	text    string // of the status line; empty: none
	drawn   bool
	midLine bool // the output's last byte on the terminal was no newline
}

// newScreen makes a screen; a status line needs a terminal that can erase it.
func (a *App) newScreen(status bool) *screen {
	tty := isTerminal(a.Stderr)
	return &screen{out: a.Stdout, err: a.Stderr, outShared: isTerminal(a.Stdout), errShared: tty, status: status && tty && !a.dumb()}
}

// stream is the writer of one of the job's streams.
func (s *screen) stream(name process.Stream) io.Writer {
	if name == process.Stderr {
		return &screenStream{s, s.err, s.errShared}
	}
	return &screenStream{s, s.out, s.outShared}
}

type screenStream struct {
	screen *screen
	w      io.Writer
	shared bool
}

// Write writes a chunk whole before any other.
func (w *screenStream) Write(b []byte) (int, error) {
	s := w.screen
	s.mu.Lock()
	defer s.mu.Unlock()
	if !w.shared {
		return w.w.Write(b)
	}
	s.erase()
	n, err := w.w.Write(b)
	if n > 0 {
		s.midLine = b[n-1] != '\n'
	}
	s.draw()
	return n, err
}

// note writes a line of its own to the terminal, between lines of the output.
func (s *screen) note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	if s.midLine {
		text = "\n" + text
		s.midLine = false
	}
	_, _ = io.WriteString(s.err, text+"\n") // what cannot be shown is not missed
	s.draw()
}

// show replaces the status line; empty removes it.
func (s *screen) show(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.status || text == s.text {
		return
	}
	s.text = text
	s.erase()
	s.draw()
}

// erase and draw are called with mu held. What cannot be drawn is not missed.
func (s *screen) erase() {
	if s.drawn {
		_, _ = io.WriteString(s.err, clearLine)
		s.drawn = false
	}
}

func (s *screen) draw() {
	if s.text != "" && !s.midLine {
		_, _ = io.WriteString(s.err, s.text)
		s.drawn = true
	}
}
