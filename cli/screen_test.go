package cli

import (
	"bytes"
	"testing"

	"github.com/reeverun/reeve/process"
)

// The program's bytes come through untouched, and the status line is never
// drawn into the middle of a line or left behind.
func TestScreenKeepsOutputWhole(t *testing.T) {
	var tty bytes.Buffer
	s := &screen{out: &tty, err: &tty, outShared: true, errShared: true, status: true}
	out, errs := s.stream(process.Stdout), s.stream(process.Stderr)
	write := func(w interface{ Write([]byte) (int, error) }, text string) {
		if n, err := w.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatal(n, err)
		}
	}
	s.show("10%")
	write(out, "one\n")
	write(out, "tw")
	s.show("20%") // not drawn: the cursor is in the middle of a line
	write(errs, "o\n")
	s.show("20%") // no change, no flicker
	s.show("")
	const want = "10%" + clearLine + "one\n10%" + clearLine + "tw" + "o\n20%" + clearLine
	if got := tty.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestScreenLeavesOtherFilesAlone(t *testing.T) {
	var file, tty bytes.Buffer
	s := &screen{out: &file, err: &tty, errShared: true, status: true}
	s.show("10%")
	if _, err := s.stream(process.Stdout).Write([]byte("no newline")); err != nil {
		t.Fatal(err)
	}
	s.show("20%")
	if file.String() != "no newline" || tty.String() != "10%"+clearLine+"20%" {
		t.Errorf("%q, %q", file.String(), tty.String())
	}
}

func TestScreenWithoutStatus(t *testing.T) {
	var tty bytes.Buffer
	s := &screen{out: &tty, err: &tty, outShared: true, errShared: true}
	s.show("10%")
	if tty.Len() != 0 {
		t.Errorf("%q", tty.String())
	}
}

// A note has a line of its own, wherever the output stands.
func TestScreenNote(t *testing.T) {
	var tty bytes.Buffer
	s := &screen{out: &tty, err: &tty, outShared: true, errShared: true, status: true}
	s.show("10%")
	s.note("one")
	if _, err := s.stream(process.Stdout).Write([]byte("half")); err != nil {
		t.Fatal(err)
	}
	s.note("two")
	const want = "10%" + clearLine + "one\n10%" + clearLine + "half\ntwo\n10%"
	if got := tty.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
