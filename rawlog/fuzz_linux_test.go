package rawlog

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
	"testing"
)

func FuzzIndex(f *testing.F) {
	var good []byte
	for i, e := range sampleEntries(5) {
		b := make([]byte, recordSize)
		(&record{Entry: e, kind: kindEntry, other: int64(i)}).put(b)
		good = append(good, b...)
	}
	f.Add(append(make([]byte, headerSlots*recordSize), good...), false)
	f.Add(append(make([]byte, 3*recordSize), good...), false)
	f.Add(good[:100], false)
	mem := must[backing](f)(newMemory()).(*memfdBacking).f // the disk is too slow for this
	f.Cleanup(func() { _ = mem.Close() })
	path := procPath(mem)
	f.Fuzz(func(t *testing.T, b []byte, sealed bool) {
		for i := 0; sealed && i+recordSize <= len(b); i += recordSize {
			seal(b[i:][:recordSize])
		}
		check(t, os.WriteFile(path, b, 0))
		for _, write := range []bool{false, true} {
			x := must[*indexFile](t)(openIndex(path, write))
			for s := range Stream(2) {
				base, hole := x.load(s)
				if base < 0 || hole.Len() < 0 || hole.From < 0 {
					t.Fatalf("state %d %v", base, hole)
				}
				borderFrom(x, s, 10)
				borderUpTo(x, s, 10)
			}
			if n := len(entriesAfterSeq(x, 0, 1<<30)); n > len(b)/recordSize {
				t.Fatalf("%d entries in %d bytes", n, len(b))
			}
			entriesAfterCursor(x, 3, 0)
			check(t, x.close())
		}
	})
}

func FuzzRecord(f *testing.F) {
	b := make([]byte, recordSize)
	(&record{Entry: sampleEntries(1)[0], kind: kindEntry}).put(b)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < recordSize {
			return
		}
		seal(b[:recordSize])
		var r record
		if !r.get(b[:recordSize]) {
			return
		}
		again := make([]byte, recordSize)
		r.put(again)
		var q record
		if !q.get(again) || q != r {
			t.Fatalf("%+v became %+v", r, q)
		}
	})
}

// seal makes b pass for a record, so that more than the checksum is tried.
func seal(b []byte) {
	binary.LittleEndian.PutUint16(b, recordMagic)
	binary.LittleEndian.PutUint32(b[60:], crc32.Checksum(b[:60], castagnoli))
}

func FuzzGzip(f *testing.F) {
	b := newHeap()
	check(f, b.write([]byte(lines(200))))
	var good bytes.Buffer
	check(f, pack(&good, b, 50, Span{100, 200}, 2000))
	f.Add(good.Bytes())
	mem := must[backing](f)(newMemory()).(*memfdBacking).f
	f.Cleanup(func() { _ = mem.Close() })
	path := procPath(mem)
	f.Fuzz(func(t *testing.T, b []byte) {
		check(t, os.WriteFile(path, b, 0))
		p, err := openGzip(path)
		if err != nil {
			return
		}
		defer p.close()
		buf := make([]byte, 1000)
		for off := int64(0); off < p.size(); {
			n, err := p.readAt(buf, off)
			if n == 0 && err == nil {
				t.Fatal("neither bytes nor an error")
			}
			if n == 0 {
				break
			}
			off += int64(n)
		}
	})
}
