package tui

import (
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/teatest/v2"
)

// watched is a dashboard whose screen a test can read.
type watched struct {
	*Model
	mu      sync.Mutex
	content string
	changed chan struct{}
}

func (w *watched) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := w.Model.Update(msg)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.content = w.View().Content
	close(w.changed)
	w.changed = make(chan struct{})
	return w, cmd
}

// terminal is a dashboard that runs.
type terminal struct {
	*teatest.TestModel
	t *testing.T
	w *watched
}

const patience = 20 * time.Second

// open runs a dashboard on a screen of a size.
func open(t *testing.T, s *script, columns, rows int, change func(*Config)) *terminal {
	t.Helper()
	cfg := Config{Source: s, Host: "unix:///run/reeve.sock", Now: func() time.Time { return noon }}
	if change != nil {
		change(&cfg)
	}
	w := &watched{Model: New(t.Context(), cfg), changed: make(chan struct{})}
	term := &terminal{teatest.NewTestModel(t, w, teatest.WithInitialTermSize(columns, rows)), t, w}
	t.Cleanup(func() {
		_ = term.Quit()
		term.WaitFinished(t, teatest.WithFinalTimeout(patience))
		w.Close()
	})
	return term
}

// until waits for a screen that a condition likes.
func (w *terminal) until(what string, ok func(screen string) bool) string {
	w.t.Helper()
	deadline := time.After(patience)
	for {
		w.w.mu.Lock()
		content, changed := ansi.Strip(w.w.content), w.w.changed
		w.w.mu.Unlock()
		if ok(content) {
			return content
		}
		select {
		case <-changed:
		case <-deadline:
			w.t.Fatalf("never seen: %s\n%s", what, content)
		}
	}
}

func (w *terminal) sees(text string) string {
	w.t.Helper()
	return w.until(text, func(s string) bool { return strings.Contains(s, text) })
}

func (w *terminal) seesNot(text string) {
	w.t.Helper()
	w.until("no "+text, func(s string) bool { return !strings.Contains(s, text) })
}

// press types keys by their names.
func (w *terminal) press(keys ...string) {
	special := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
		"left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "space": tea.KeySpace, "backspace": tea.KeyBackspace}
	for _, key := range keys {
		if code, ok := special[key]; ok {
			w.Send(tea.KeyPressMsg{Code: code})
			continue
		}
		w.Type(key)
	}
}

// golden compares the screen with the one that is kept.
func (w *terminal) golden(colours bool) {
	w.t.Helper()
	w.w.mu.Lock()
	content := w.w.content
	w.w.mu.Unlock()
	if !colours {
		content = ansi.Strip(content)
	}
	lines := strings.Split(content, "\n")
	for i := range lines {
		if w.w.theme.width(lines[i]) > w.w.width {
			w.t.Errorf("line %d is wider than the screen: %q", i, lines[i])
		}
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	if len(lines) != w.w.height {
		w.t.Errorf("%d lines on a screen of %d", len(lines), w.w.height)
	}
	teatest.RequireEqualOutput(w.t, []byte(strings.Join(lines, "\n")+"\n"))
}
