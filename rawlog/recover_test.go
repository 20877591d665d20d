package rawlog

import (
	"errors"
	"math"
	"os"
	"strings"
	"testing"
)

// crash forgets a log without finishing it, as a host that dies does.
func crash(t testing.TB, ls *Logs) *Logs {
	t.Helper()
	check(t, ls.Close())
	return newLogs(t, ls.cfg)
}

func TestRecoverGoesOnAfterTheLastIndexedByte(t *testing.T) {
	ls := newLogs(t, Config{})
	l := ls.Create(3, 2, KeepFile)
	p := followed(t, l, `echo one; echo two >&2; echo three; printf par`)
	f := must[*os.File](t)(l.File(Stdout))
	fd := must[*os.File](t)(os.OpenFile(f.Name(), appendMode, 0)) // as the child's own
	defer fd.Close()
	ls = crash(t, ls)
	_, err := fd.WriteString("tial\nfour\n")
	check(t, err)

	l = must[*Log](t)(ls.Recover(3, 2, KeepFile, math.MaxInt64))
	seq, cursor := l.Last()
	equal(t, "seq", seq, p.seq)
	equal(t, "cursor", cursor, 1000+p.seq)
	q := &pump{l: l, seq: seq}
	equal(t, "unread", l.Arm(), true)
	q.drain(t, 100)
	equal(t, "rest of stdout", q.read[Stdout].String(), "partial\nfour\n")
	equal(t, "rest of stderr", q.read[Stderr].String(), "")
	equal(t, "armed", l.Arm(), false)
	_, err = fd.WriteString("five\n")
	check(t, err)
	<-l.Wake()
	q.drain(t, 100)
	equal(t, "rest of stdout", q.read[Stdout].String(), "partial\nfour\nfive\n")
	check(t, l.Finish())

	r := open(t, ls, 3, 2)
	equal(t, "content", content(t, r, Stdout), "one\nthree\npartial\nfour\nfive\n")
	var next int64 = 1
	for _, e := range must[[]Entry](t)(r.Entries(0, 0)) {
		equal(t, "seq", e.Seq, next)
		next += int64(e.Count)
	}
	equal(t, "lines", next, 7)
}

func TestRecoverKeepsHolesAndShifts(t *testing.T) {
	ls := newLogs(t, Config{Cap: 64 << 10})
	l := ls.Create(1, 1, KeepFile)
	run(t, l, "echo lost; echo first >&2")
	p := &pump{l: l}
	p.drain(t, 4096)
	run(t, l, ": > /dev/stdout")
	p.drain(t, 4096)
	text := lines(20000)
	check(t, l.Append(Stdout, []byte(text)))
	p.drain(t, 4096)
	before := open(t, ls, 1, 1)
	want, holes := content(t, before, Stdout), before.Holes(Stdout)
	equal(t, "holes", len(holes), 2)

	ls = crash(t, ls)
	closed := open(t, ls, 1, 1)
	equal(t, "closed content", content(t, closed, Stdout), want)
	l = must[*Log](t)(ls.Recover(1, 1, KeepFile, math.MaxInt64))
	again := open(t, ls, 1, 1)
	equal(t, "content", content(t, again, Stdout), want)
	q := &pump{l: l, seq: p.seq}
	equal(t, "unread", q.drain(t, 4096), 0)
	check(t, l.Append(Stdout, []byte(text)))
	q.drain(t, 4096)
	equal(t, "read", q.read[Stdout].String(), text)
	check(t, l.Finish())
	r := open(t, ls, 1, 1)
	h := r.Holes(Stdout)
	equal(t, "size", r.Size(Stdout), int64(5+2*len(text)))
	equal(t, "head", h[1].From, holes[1].From)
	equal(t, "content", content(t, r, Stdout), Marker(5)+text[:h[1].From-5]+Marker(h[1].Len())+(text + text)[h[1].To-5:])
}

// Truncated while nobody looked.
func TestRecoverTruncated(t *testing.T) {
	ls := newLogs(t, Config{})
	l := ls.Create(1, 1, KeepFile)
	run(t, l, "echo a long line")
	(&pump{l: l}).drain(t, 100)
	path := l.path(".stdout")
	ls = crash(t, ls)
	check(t, os.WriteFile(path, []byte("new\n"), 0))
	l = must[*Log](t)(ls.Recover(1, 1, KeepFile, math.MaxInt64))
	q := &pump{l: l, seq: 1}
	q.drain(t, 100)
	equal(t, "read", q.read[Stdout].String(), "new\n")
	equal(t, "warned", q.warned, 1)
	check(t, l.Finish())
	equal(t, "content", content(t, open(t, ls, 1, 1), Stdout), Marker(12)+"\nnew\n"[1:])
}

func TestRecoverWithATornIndex(t *testing.T) {
	for name, spoil := range map[string]func(b []byte) []byte{
		"torn":      func(b []byte) []byte { return b[:len(b)-10] },
		"garbage":   func(b []byte) []byte { return append(b, strings.Repeat("garbage!", 100)...) },
		"zeros":     func(b []byte) []byte { return append(b, make([]byte, 100000)...) },
		"flipped":   func(b []byte) []byte { b[len(b)-30] ^= 1; return b },
		"all wrong": func(b []byte) []byte { return []byte(strings.Repeat("garbage!", len(b))) },
		"empty":     func([]byte) []byte { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			ls := newLogs(t, Config{})
			l := ls.Create(1, 1, KeepFile)
			p := &pump{l: l}
			for range 10 {
				check(t, l.Append(Stdout, []byte("0123456789\n")))
				p.drain(t, 100)
			}
			path := l.path(".idx")
			ls = crash(t, ls)
			b, err := os.ReadFile(path)
			check(t, err)
			check(t, os.WriteFile(path, spoil(b), 0))

			l = must[*Log](t)(ls.Recover(1, 1, KeepFile, math.MaxInt64))
			seq, _ := l.Last()
			if seq > 10 || (seq < 9 && name != "all wrong" && name != "empty") {
				t.Fatalf("last seq is %d", seq)
			}
			q := &pump{l: l, seq: seq}
			equal(t, "unread", q.drain(t, 100), int(10-seq)*11)
			check(t, l.Finish())
			var n int
			for _, e := range must[[]Entry](t)(open(t, ls, 1, 1).Entries(0, 0)) {
				n += e.Count
			}
			equal(t, "lines", n, 10)
		})
	}
}

func TestRecoverNothing(t *testing.T) {
	ls := newLogs(t, Config{})
	l := must[*Log](t)(ls.Recover(1, 1, KeepFile, math.MaxInt64))
	equal(t, "armed", l.Arm(), false)
	check(t, l.Append(Stdout, []byte("x\n")))
	check(t, l.Finish())
	equal(t, "content", content(t, open(t, ls, 1, 1), Stdout), "x\n")
	if _, err := ls.Recover(2, 1, KeepMemory, math.MaxInt64); !errors.Is(err, ErrNotKept) {
		t.Fatal(err)
	}
}

// Entries above the last seq anyone can have seen are dropped, and their bytes
// come again.
func TestRecoverDropsUnseenEntries(t *testing.T) {
	dir := t.TempDir()
	ls := must[*Logs](t)(New(Config{Dir: dir}))
	l := ls.Create(1, 1, KeepFile)
	check(t, l.Append(Stdout, []byte("a\nb\nc\n")))
	check(t, l.Index(
		Entry{Seq: 3, Cursor: 3, Offset: 0, Len: 2, Count: 1},
		Entry{Seq: 5, Cursor: 5, Offset: 2, Len: 4, Count: 2}))
	check(t, ls.Close())

	ls = must[*Logs](t)(New(Config{Dir: dir}))
	defer ls.Close()
	l = must[*Log](t)(ls.Recover(1, 1, KeepFile, 3))
	if at := l.Position(Stdout); at != 2 {
		t.Errorf("position %d, want 2", at)
	}
	check(t, l.Index(Entry{Seq: 4, Cursor: 4, Offset: 2, Len: 4, Count: 2}))
	check(t, l.Finish())
	r := must[*Reader](t)(ls.Open(1, 1))
	defer r.Close()
	got := must[[]Entry](t)(r.Entries(0, 10))
	if len(got) != 2 || got[1].Seq != 4 {
		t.Errorf("entries %+v", got)
	}
}
