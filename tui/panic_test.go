package tui

import (
	"bytes"
	"context"
	"iter"
	"testing"

	"github.com/reeverun/reeve/process"
)

// broken is a Source with a mistake in it.
type broken struct{ *script }

func (broken) Follow(context.Context, process.ID, Kinds, int64) iter.Seq2[process.Event, error] {
	panic("a mistake, made by a test")
}

// A mistake ends the dashboard with an error, and the terminal is given back.
func TestPanicGivesTheTerminalBack(t *testing.T) {
	var screen bytes.Buffer
	err := Run(t.Context(), Config{Source: broken{newScript(running(1, "talk"))}, Input: new(bytes.Buffer), Output: &screen, Environ: []string{"TERM=xterm"}})
	if err == nil || !bytes.Contains(screen.Bytes(), []byte("\x1b[?1049l")) {
		t.Errorf("%v\n%q", err, screen.String())
	}
}
