package rawlog

import (
	"errors"
	"slices"
	"testing"
)

func sampleEntries(n int) []Entry {
	es := make([]Entry, n)
	var offs [2]int64
	seq := int64(1)
	for i := range es {
		s := Stream(i % 3 % 2)
		es[i] = Entry{Seq: seq, Cursor: 5 * seq, Stream: s, Offset: offs[s], Len: 10 + int64(i%7), Count: 1 + i%4, At: int64(i)}
		offs[s] += es[i].Len
		seq += int64(es[i].Count) + int64(i%2) // other events come between
	}
	return es
}

func TestEntries(t *testing.T) {
	for name, policy := range kept {
		t.Run(name, func(t *testing.T) {
			ls := newLogs(t, Config{})
			l := ls.Create(1, 1, policy)
			check(t, l.Append(Stdout, make([]byte, 100000)))
			check(t, l.Append(Stderr, make([]byte, 100000)))
			es := sampleEntries(1000)
			check(t, l.Index(es[:1]...))
			check(t, l.Index(es[1:]...))
			live := open(t, ls, 1, 1)
			findAll(t, live, es)
			check(t, l.Finish())
			findAll(t, live, es)
			findAll(t, open(t, ls, 1, 1), es)
		})
	}
}

func findAll(t *testing.T, r *Reader, es []Entry) {
	t.Helper()
	equal(t, "all", slices.Equal(must[[]Entry](t)(r.Entries(0, 1<<20)), es), true)
	last := es[len(es)-1]
	for seq := int64(-1); seq < last.Seq+10; seq += 13 {
		n := 0
		for n < len(es) && es[n].Seq < seq {
			n++
		}
		got := must[[]Entry](t)(r.EntriesBefore(seq, 3))
		equal(t, "entries before", slices.Equal(got, es[max(0, n-3):n]), true)
	}
	for seq := int64(-1); seq < last.Seq+10; seq += 17 {
		i := slices.IndexFunc(es, func(e Entry) bool { return e.Seq+int64(e.Count)-1 >= seq+1 })
		got := must[[]Entry](t)(r.Entries(seq, 2))
		byCursor := must[[]Entry](t)(r.EntriesAfterCursor(seq*5, 1))
		if i < 0 {
			equal(t, "entries past the end", len(got)+len(byCursor), 0)
			continue
		}
		equal(t, "entry", got[0], es[i])
		j := slices.IndexFunc(es, func(e Entry) bool { return e.Cursor+int64(e.Count)-1 >= seq*5+1 })
		if j >= 0 {
			equal(t, "entry by cursor", byCursor[0], es[j])
		}
	}
}

func TestIndexOutOfOrder(t *testing.T) {
	ls := newLogs(t, Config{})
	l := ls.Create(1, 1, KeepFile)
	check(t, l.Append(Stdout, []byte("x")))
	check(t, l.Index(Entry{Seq: 5, Cursor: 5, Offset: 10, Len: 10, Count: 2}))
	for _, e := range []Entry{
		{Seq: 6, Cursor: 9, Offset: 20, Len: 1, Count: 1}, {Seq: 9, Cursor: 6, Offset: 20, Len: 1, Count: 1},
		{Seq: 9, Cursor: 9, Offset: 19, Len: 1, Count: 1}, {Seq: 9, Cursor: 9, Offset: 20, Len: 1},
		{Seq: 9, Cursor: 9, Offset: 20, Len: -1, Count: 1}, {Seq: 9, Cursor: 9, Stream: 2, Offset: 20, Count: 1},
	} {
		if err := l.Index(e); !errors.Is(err, errOrder) {
			t.Fatalf("%+v: %v", e, err)
		}
	}
	check(t, l.Index(Entry{Seq: 7, Cursor: 7, Offset: 20, Len: 10, Count: 2}))
	check(t, l.Finish())
}
