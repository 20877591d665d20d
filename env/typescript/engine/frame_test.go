package engine

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestFramesComeBack(t *testing.T) {
	var wire []byte
	payloads := []string{"", "a", strings.Repeat("x", 10_000), strings.Repeat("y", 20_000), "z"}
	for _, p := range payloads {
		wire = AppendFrame(wire, TypeStdout, []byte(p))
	}
	for name, r := range map[string]io.Reader{"whole": bytes.NewReader(wire), "byte by byte": iotest.OneByteReader(bytes.NewReader(wire))} {
		frames := NewReader(r)
		for i, want := range payloads {
			kind, got, err := frames.Next()
			if err != nil || kind != TypeStdout || string(got) != want {
				t.Fatalf("%s: frame %d: %c of %d bytes, %v", name, i, kind, len(got), err)
			}
		}
		if _, _, err := frames.Next(); err != io.EOF {
			t.Errorf("%s: at the end: %v", name, err)
		}
	}
}

func TestBrokenFrames(t *testing.T) {
	for name, c := range map[string]struct {
		wire string
		want error
	}{
		"no type":         {"\x00\x00\x00\x00", ErrFrame},
		"too long":        {"\xff\xff\xff\xff", ErrFrame},
		"cut length":      {"\x05\x00", io.ErrUnexpectedEOF},
		"cut payload":     {"\x05\x00\x00\x00Oab", io.ErrUnexpectedEOF},
		"length and end":  {"\x05\x00\x00\x00", io.ErrUnexpectedEOF},
		"nothing at all":  {"", io.EOF},
		"over the border": {"\x01\x00\x00\x01", ErrFrame},
	} {
		if _, _, err := NewReader(strings.NewReader(c.wire)).Next(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// A claim of sixteen megabytes costs nothing until they come.
func TestReaderHoldsWhatArrived(t *testing.T) {
	r, w := io.Pipe()
	go func() {
		_, _ = w.Write([]byte{0, 0, 0, 1, 'O'})
		_ = w.Close()
	}()
	frames := NewReader(r)
	if _, _, err := frames.Next(); err != io.ErrUnexpectedEOF || cap(frames.buf) > 64<<10 {
		t.Errorf("%v, holding %d bytes", err, cap(frames.buf))
	}
}

func TestScriptComesBack(t *testing.T) {
	want := Script{HeapBytes: 1 << 40, CPUMS: 7, Name: "n", Code: "…", Meta: ""}
	kind, payload, err := NewReader(bytes.NewReader(AppendScript(nil, &want))).Next()
	if err != nil || kind != TypeScript {
		t.Fatal(kind, err)
	}
	if got, err := ReadScript(payload); err != nil || *got != want {
		t.Errorf("%+v, %v", got, err)
	}
}

func FuzzScript(f *testing.F) {
	_, payload, _ := NewReader(bytes.NewReader(AppendScript(nil, &Script{Name: "a", Code: "b", Meta: "c"}))).Next()
	f.Add(payload)
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ReadScript(b)
		if err != nil {
			return
		}
		if again := AppendScript(nil, s); !bytes.Equal(again[5:], b) {
			t.Errorf("%x came back as %x", b, again[5:])
		}
	})
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("\x02\x00\x00\x00Oa\x01\x00\x00\x00D"))
	f.Fuzz(func(t *testing.T, b []byte) {
		frames, total := NewReader(bytes.NewReader(b)), 0
		for {
			_, payload, err := frames.Next()
			if err != nil {
				break
			}
			total += len(payload) + 5
		}
		if total > len(b) {
			t.Errorf("%d bytes of frames from %d", total, len(b))
		}
	})
}

func TestTooDeep(t *testing.T) {
	for text, want := range map[string]bool{
		strings.Repeat("[", 256) + strings.Repeat("]", 256): false,
		strings.Repeat("[", 257) + strings.Repeat("]", 257): true,
		strings.Repeat(`{"a":`, 257):                        true,
		`"` + strings.Repeat("[", 300) + `"`:                false,
		`"\\"` + strings.Repeat("[", 257):                   true,
		`"\"` + strings.Repeat("[", 300) + `"`:              false,
		strings.Repeat("[],", 1000):                         false,
	} {
		if got := TooDeep([]byte(text)); got != want {
			t.Errorf("%.20q…: %v", text, got)
		}
	}
}
