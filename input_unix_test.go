//go:build unix

package reeve_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/reeverun/reeve"
)

func TestTerminalOfAnEmbeddedCommand(t *testing.T) {
	rt := open(t, reeve.Config{})
	p, err := rt.Spawn(t.Context(), reeve.Sh(`stty size; read x; echo "got $x"; cat`).Window(reeve.Window{Rows: 9, Cols: 90}))
	if err != nil {
		t.Fatal(err)
	}
	for event := range p.Events(t.Context()) {
		if event.Kind == "process_started" {
			break
		}
	}
	if n, err := rt.Input(t.Context(), p.ID(), []byte("word\r")); n != 5 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if err := rt.Resize(t.Context(), p.ID(), reeve.Window{}); !errors.Is(err, reeve.ErrInvalid) {
		t.Error(err)
	}
	if err := rt.CloseInput(t.Context(), p.ID()); err != nil {
		t.Error(err)
	}
	if _, err := p.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := rt.WriteOutput(t.Context(), &out, p.ID(), 0, reeve.Stdout); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"9 90\r\n", "got word\r\n"} {
		if !bytes.Contains(out.Bytes(), []byte(want)) {
			t.Errorf("%q is not in %q", want, &out)
		}
	}
	if _, err := rt.Input(t.Context(), p.ID(), []byte("x")); !errors.Is(err, reeve.ErrNotRunning) {
		t.Error(err)
	}
	if _, err := rt.Spawn(t.Context(), reeve.Command("cat").PTY().StdinOpen()); !errors.Is(err, reeve.ErrInvalid) {
		t.Error(err)
	}
}
