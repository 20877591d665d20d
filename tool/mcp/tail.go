package mcp

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"

	"github.com/reeverun/reeve/tool"
)

const (
	maxLine = 4 << 10 // of a program's stderr, in the log
	maxTail = 1 << 10 // of it, in an error
)

// tailWriter logs what a program writes to its stderr, line by line and without
// secrets, and keeps the end of it.
type tailWriter struct {
	log    *slog.Logger
	redact func(string) string

	mu   sync.Mutex
	line []byte // begun and not ended
	last []string
}

// Write takes some bytes; it never fails.
func (w *tailWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for rest := b; len(rest) > 0; {
		at := bytes.IndexByte(rest, '\n')
		if at < 0 {
			w.line = append(w.line, rest...)
			if len(w.line) > maxLine {
				w.end()
			}
			break
		}
		w.line = append(w.line, rest[:at]...)
		w.end()
		rest = rest[at+1:]
	}
	return len(b), nil
}

// end logs the line. w.mu is held.
func (w *tailWriter) end() {
	text := strings.TrimSpace(tool.Clip(w.redact(string(w.line)), maxLine))
	w.line = w.line[:0]
	if text == "" {
		return
	}
	w.log.Debug("server says", "line", text)
	if w.last = append(w.last, text); len(w.last) > 8 {
		w.last = w.last[1:]
	}
}

// tail is the end of what was written, in one line.
func (w *tailWriter) tail() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.line) > 0 {
		w.end()
	}
	text := strings.Join(w.last, " | ")
	if len(text) > maxTail {
		text = "…" + strings.ToValidUTF8(text[len(text)-maxTail:], "")
	}
	return text
}
