package rawlog

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// The disk never holds much more than the cap, while the program writes.
func TestCapBoundsTheDisk(t *testing.T) {
	ls := newLogs(t, Config{Cap: 1 << 20})
	l := ls.Create(1, 1, KeepFile)
	p := &pump{l: l}
	block := []byte(strings.Repeat(strings.Repeat("x", 99)+"\n", 300))
	for range 1000 { // 30 MB
		check(t, l.Append(Stdout, block))
		p.drain(t, 32<<10)
		if used := onDisk(t, l.path(".stdout")); used > 5<<18+maxBlock {
			t.Fatalf("%d bytes on disk", used)
		}
	}
	// The index follows: what it says of dropped bytes is dropped too.
	if used := onDisk(t, l.path(".idx")); used > 32<<10 {
		t.Fatalf("index has %d bytes on disk for 1 MiB of output", used)
	}
	r := open(t, ls, 1, 1)
	first := must[[]Entry](t)(r.Entries(0, 1))[0]
	equal(t, "first entry", first.Seq, 1)
	es := must[[]Entry](t)(r.Entries(150000, 1000))
	h := r.Holes(Stdout)[0]
	if len(es) == 0 || es[0].Offset > h.To || es[len(es)-1].end() != r.Size(Stdout) {
		t.Fatalf("entries after the gap begin with %+v, hole %v", es, h)
	}
	check(t, l.Finish())
}

func onDisk(t *testing.T, path string) int64 {
	t.Helper()
	fi, err := os.Stat(path)
	check(t, err)
	return fi.Sys().(*syscall.Stat_t).Blocks * 512
}

// Under KeepNothing memory is freed behind the reader.
func TestNothingIsPunched(t *testing.T) {
	ls := newLogs(t, Config{})
	l := ls.Create(1, 1, KeepNothing)
	p := &pump{l: l}
	block := []byte(lines(3000)) // 36 kB
	for range 100 {
		check(t, l.Append(Stdout, block))
		p.drain(t, 256<<10)
		if n := memUsed(t, l); n > memoryStep+100<<10 {
			t.Fatalf("%d bytes held", n)
		}
	}
	equal(t, "ready", l.Arm(), false)
	if n := memUsed(t, l); n > 2*pageSize {
		t.Fatalf("%d bytes held when idle", n)
	}
	check(t, l.Append(Stdout, []byte("more\n")))
	p.drain(t, 100)
	if !strings.HasSuffix(p.read[Stdout].String(), "more\n") || p.warned > 0 {
		t.Fatal("reading stops behind a hole")
	}
	check(t, l.Finish())
}

func memUsed(t *testing.T, l *Log) int64 {
	t.Helper()
	var st unix.Stat_t
	check(t, unix.Fstat(int(l.streams[0].b.(*memfdBacking).f.Fd()), &st))
	return st.Blocks * 512
}

// An index that cannot be written is remembered, readable, and written later.
func TestIndexWriteFails(t *testing.T) {
	ls := newLogs(t, Config{})
	l := ls.Create(1, 1, KeepFile)
	check(t, l.Append(Stdout, []byte("a\nb\nc\n")))
	check(t, l.Index(Entry{Seq: 1, Cursor: 1, Offset: 0, Len: 2, Count: 1}))
	x := l.idx.(*indexFile)
	good := x.f
	x.f = must[*os.File](t)(os.OpenFile("/dev/full", os.O_RDWR, 0))
	// Reads must still find what was written before; /dev/full gives zeros.
	if err := l.Index(Entry{Seq: 2, Cursor: 2, Offset: 2, Len: 2, Count: 1}); !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("got %v", err)
	}
	check(t, x.f.Close())
	x.f = good
	r := open(t, ls, 1, 1)
	equal(t, "entries", len(must[[]Entry](t)(r.Entries(0, 0))), 2)
	check(t, l.Index(Entry{Seq: 3, Cursor: 3, Offset: 4, Len: 2, Count: 1}))
	equal(t, "pending", len(x.pending), 0)
	check(t, l.Finish())
	equal(t, "entries", len(must[[]Entry](t)(r.Entries(0, 0))), 3)
}

func TestSearchOverGaps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "idx")
	x := &indexFile{path: path}
	var tl tail
	var rs []record
	for _, e := range sampleEntries(5000) {
		rs = append(rs, must[record](t)(tl.push(e)))
	}
	check(t, x.add(rs))
	check(t, punch(x.f, "", 8192, 8192+40*4096)) // places 120 to 2680
	from, to := unslot(8192), unslot(8192+40*4096)
	check(t, x.close())
	x = must[*indexFile](t)(openIndex(path, true))
	defer x.close()
	equal(t, "length", x.len(), 5000)
	for i := int64(0); i < 5000; i += 7 {
		want := i
		if i >= from && i < to {
			want = to
		}
		got := entriesAfterSeq(x, rs[i].Seq-1, 1)
		equal(t, "entry", got[0], rs[want].Entry)
	}
	r, at, ok := prev(x, to)
	if !ok || at != from-1 || r.Entry != rs[from-1].Entry {
		t.Fatalf("before the gap: %d, %v", at, ok)
	}
}

// The last entry stays in the index when all bytes are gone: it has the
// numbers from which the next host goes on.
func TestLastEntryIsNotDropped(t *testing.T) {
	ls := newLogs(t, Config{})
	l := ls.Create(1, 1, KeepFile)
	p := &pump{l: l}
	for range 1000 {
		check(t, l.Append(Stdout, []byte("line\n")))
		p.drain(t, 100)
	}
	check(t, os.Truncate(l.path(".stdout"), 0))
	p.drain(t, 100)
	equal(t, "warned", p.warned, 1)
	if used := onDisk(t, l.path(".idx")); used > 3*pageSize {
		t.Fatalf("index has %d bytes on disk for nothing", used)
	}
	ls = crash(t, ls)
	l = must[*Log](t)(ls.Recover(1, 1, KeepFile, math.MaxInt64))
	seq, cursor := l.Last()
	equal(t, "seq", seq, 1000)
	equal(t, "cursor", cursor, 2000)
	equal(t, "position", l.Position(Stdout), 5000)
	check(t, l.Finish())
}
