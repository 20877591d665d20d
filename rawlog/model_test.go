package rawlog

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"
)

// model is what a log must be equal to: every byte ever written, and which of
// them a truncation has taken.
type model struct {
	t     *rapid.T
	ls    *Logs
	l     *Log
	p     *pump
	k     Policy
	bytes [2][]byte
	base  [2]int
	n     int
}

// Whatever happens to a log, readers see exact bytes or a hole, entries match,
// and nothing is missing that was read.
func TestModel(t *testing.T) {
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		cfg := Config{Dir: filepath.Join(dir, fmt.Sprint(n)), Cap: 16 << 10, MemoryCap: 16 << 10}
		m := &model{t: rt, ls: must[*Logs](t)(New(cfg)), k: rapid.SampledFrom([]Policy{KeepFile, KeepGzip, KeepMemory}).Draw(rt, "policy")}
		defer func() { check(t, m.ls.Close()) }()
		m.l = m.ls.Create(1, 1, m.k)
		m.p = &pump{l: m.l}
		rt.Repeat(map[string]func(*rapid.T){
			"write": m.write, "read": m.read, "truncate": m.truncate, "crash": m.crash, "": m.compare,
		})
		m.p.drain(rt, 2048)
		check(rt, m.l.Finish())
		m.compare(rt)
	})
}

func (m *model) write(t *rapid.T) {
	s := Stream(rapid.IntRange(0, 1).Draw(t, "stream"))
	var b bytes.Buffer
	for range rapid.IntRange(1, 200).Draw(t, "lines") {
		m.n++
		fmt.Fprintf(&b, "%d %s\n", m.n, bytes.Repeat([]byte("-"), m.n%60))
	}
	check(t, m.l.Append(s, b.Bytes()))
	m.bytes[s] = append(m.bytes[s], b.Bytes()...)
}

func (m *model) read(t *rapid.T) {
	m.p.drain(t, rapid.SampledFrom([]int{100, 2048}).Draw(t, "block"))
	for s := range m.bytes {
		equal(t, "position", m.l.Position(Stream(s)), int64(len(m.bytes[s])))
	}
}

func (m *model) truncate(t *rapid.T) {
	s := Stream(rapid.IntRange(0, 1).Draw(t, "stream"))
	m.read(t)
	f := must[*os.File](t)(m.l.File(s))
	check(t, os.Truncate(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), 0))
	m.p.drain(t, 2048)
	m.base[s] = len(m.bytes[s])
}

func (m *model) crash(t *rapid.T) {
	if m.k == KeepMemory {
		return
	}
	check(t, m.ls.Close())
	m.ls = must[*Logs](t)(New(m.ls.cfg))
	m.l = must[*Log](t)(m.ls.Recover(1, 1, m.k, math.MaxInt64))
	seq, _ := m.l.Last()
	m.p = &pump{l: m.l, seq: seq}
}

func (m *model) compare(t *rapid.T) {
	r, err := m.ls.Open(1, 1)
	if err != nil {
		if len(m.bytes[0])+len(m.bytes[1]) == 0 {
			return // finished without a file
		}
		t.Fatal(err)
	}
	defer r.Close()
	for i, all := range m.bytes {
		s := Stream(i)
		equal(t, "size", r.Size(s), int64(len(all)))
		var want bytes.Buffer
		at, dropped := int64(0), int64(0)
		for _, h := range r.Holes(s) {
			want.Write(all[at:h.From])
			want.WriteString(Marker(h.Len()))
			at, dropped = h.To, dropped+max(0, h.To-max(h.From, int64(m.base[i])))
		}
		want.Write(all[at:])
		equal(t, "content", content(t, r, s), want.String())
		if dropped > 0 && int64(len(all)-m.base[i])-dropped < 8<<10 {
			t.Fatalf("%d of %d bytes dropped by a cap of 16 KiB", dropped, len(all)-m.base[i])
		}
	}
	m.compareEntries(t, r)
}

func (m *model) compareEntries(t *rapid.T, r *Reader) {
	var ends [2]int64
	next := int64(1)
	for _, e := range must[[]Entry](t)(r.Entries(0, 1<<20)) {
		if e.Seq < next || e.Offset < ends[e.Stream] {
			t.Fatalf("entry %+v comes after seq %d, offset %d", e, next, ends[e.Stream])
		}
		b := m.bytes[e.Stream][e.Offset:e.end()]
		equal(t, "lines", bytes.Count(b, []byte("\n")), e.Count)
		next, ends[e.Stream] = e.Seq+int64(e.Count), e.end()
	}
}
