package rawlog

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

const capped = 256 << 10

// A log over its cap: exact head, marker, exact tail; offsets stay true.
func TestCapKeepsHeadAndTail(t *testing.T) {
	for name, policy := range kept {
		t.Run(name, func(t *testing.T) {
			ls := newLogs(t, Config{Cap: capped, MemoryCap: capped})
			l := ls.Create(1, 1, policy)
			p := followed(t, l, `i=0; while [ $i -lt 4 ]; do seq -f 'line %010g' 1 40000; i=$((i+1)); done; echo end`)
			text := p.read[Stdout].String()
			equal(t, "read", len(text), 4*40000*16+4)
			live := open(t, ls, 1, 1)
			wholeEntries(t, live, text)
			check(t, l.Finish())
			wholeEntries(t, live, text)
			wholeEntries(t, open(t, ls, 1, 1), text)
			h := live.Holes(Stdout)
			equal(t, "holes", len(h), 1)
			keptBytes := int64(len(text)) - h[0].Len()
			if keptBytes > capped || keptBytes < capped*3/4 {
				t.Fatalf("kept %d of a cap of %d", keptBytes, capped)
			}
			if h[0].From < capped/4 || int64(len(text))-h[0].To < capped/4 {
				t.Fatalf("hole %v leaves no head or tail", h[0])
			}
		})
	}
}

// wholeEntries checks a capped log in every way it can be read.
func wholeEntries(t *testing.T, r *Reader, text string) {
	t.Helper()
	equal(t, "size", r.Size(Stdout), int64(len(text)))
	h := r.Holes(Stdout)
	equal(t, "holes", len(h), 1)
	want := text[:h[0].From] + fmt.Sprintf("[reeve: %d bytes dropped]", h[0].Len()) + text[h[0].To:]
	equal(t, "content", content(t, r, Stdout), want)
	if text[h[0].From-1] != '\n' || text[h[0].To-1] != '\n' {
		t.Fatalf("hole %v does not lie between lines", h[0])
	}
	buf := make([]byte, 10)
	_, err := r.ReadAt(Stdout, buf, h[0].From)
	if !errors.Is(err, ErrHole) {
		t.Fatalf("read inside the hole: %v", err)
	}
	n, err := r.ReadAt(Stdout, buf, h[0].From-5)
	if n != 5 || !errors.Is(err, ErrHole) {
		t.Fatalf("read into the hole: %d, %v", n, err)
	}
	n, err = r.ReadAt(Stdout, buf, h[0].To)
	if n != 10 || err != nil || string(buf) != text[h[0].To:h[0].To+10] {
		t.Fatalf("read after the hole: %d, %v, %q", n, err, buf)
	}
	var b strings.Builder
	_, err = r.Copy(&b, Stdout, h[0].From+10, h[0].To+6)
	check(t, err)
	equal(t, "range from the hole", b.String(), Marker(h[0].Len()-10)+text[h[0].To:h[0].To+6])
	for _, e := range must[[]Entry](t)(r.Entries(0, 1<<20)) {
		in := e.Offset >= h[0].From && e.end() <= h[0].To
		out := e.end() <= h[0].From || e.Offset >= h[0].To
		if !in && !out {
			t.Fatalf("entry %+v is cut by the hole %v", e, h[0])
		}
	}
}

// A file system that cannot punch: said once, and the log grows.
func TestCapWithoutPunching(t *testing.T) {
	ls := newLogs(t, Config{Cap: 64 << 10})
	l := ls.Create(1, 1, KeepFile)
	check(t, l.Append(Stdout, []byte("x\n")))
	b := &cannotPunch{backing: l.streams[0].b}
	l.streams[0].b = b
	text := lines(50000)
	check(t, l.Append(Stdout, []byte(text)))
	buf := make([]byte, 4<<10)
	var errs int
	for seq := int64(1); ; seq++ {
		n, off, err := l.Read(Stdout, buf)
		check(t, err)
		if n == 0 {
			break
		}
		check(t, l.Index(Entry{Seq: seq, Cursor: seq, Offset: off, Len: int64(n), Count: 1}))
		if err := l.Consumed(Stdout, off+int64(n)); errors.Is(err, errors.ErrUnsupported) {
			errs++
		}
	}
	equal(t, "errors", errs, 1)
	check(t, l.Finish())
	equal(t, "content", content(t, open(t, ls, 1, 1), Stdout), "x\n"+text)
}

type cannotPunch struct{ backing }

func (*cannotPunch) punch(_, _ int64) error { return errors.ErrUnsupported }

// Output nobody indexes is capped all the same.
func TestCapWithoutIndex(t *testing.T) {
	ls := newLogs(t, Config{Cap: 64 << 10})
	l := ls.Create(1, 1, KeepFile)
	text := strings.Repeat("y", 300000)
	check(t, l.Append(Stdout, []byte(text)))
	buf := make([]byte, 4<<10)
	for {
		n, off, err := l.Read(Stdout, buf)
		check(t, err)
		if n == 0 {
			break
		}
		check(t, l.Consumed(Stdout, off+int64(n)))
	}
	check(t, l.Finish())
	r := open(t, ls, 1, 1)
	h := r.Holes(Stdout)
	equal(t, "holes", len(h), 1)
	equal(t, "kept", 300000-h[0].Len(), 64<<10)
	equal(t, "content", content(t, r, Stdout), text[:h[0].From]+Marker(h[0].Len())+text[h[0].To:])
}
