package rawlog

import (
	"encoding/binary"
	"hash/crc32"
)

// The index file is an array of records of one size, so that a record's place
// follows from its number and a torn one spoils only itself:
//
//	slot 0, 1   state of stdout, written alternately
//	slot 2, 3   state of stderr
//	slot 4..7   zero, reserved
//	slot 8..    entries, in the order of their numbers
//
// Little endian:
//
//	0 magic u16 · 2 kind u8 · 3 stream u8 · 4 count u32 · 8 seq · 16 cursor
//	24 offset · 32 len · 40 at · 48 other · 56 zero u32 · 60 crc32c u32
const (
	recordSize  = 64
	headerSlots = 8
	recordMagic = 0x7652 // "Rv"
)

type kind uint8

const (
	kindEntry kind = 1
	kindState kind = 2 // seq: generation, cursor: base, offset and len: the hole's borders
)

// record is one slot of the index. other is the indexed end of the stream the
// entry is not of: with it, the last entry tells where both streams stand, and
// entries can be searched by the offset of either.
type record struct {
	Entry
	kind  kind
	other int64
}

// ends returns how far stream s is indexed once r is.
func (r *record) ends(s Stream) int64 {
	if r.Stream == s {
		return r.end()
	}
	return r.other
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// put encodes r into b, which is recordSize long.
func (r *record) put(b []byte) {
	le := binary.LittleEndian
	le.PutUint16(b, recordMagic)
	b[2], b[3] = byte(r.kind), byte(r.Stream)
	le.PutUint32(b[4:], uint32(r.Count))
	for i, v := range [...]int64{r.Seq, r.Cursor, r.Offset, r.Len, r.At, r.other} {
		le.PutUint64(b[8+8*i:], uint64(v))
	}
	le.PutUint32(b[56:], 0)
	le.PutUint32(b[60:], crc32.Checksum(b[:60], castagnoli))
}

// get decodes b and tells whether it holds a record that makes sense. Checks
// go beyond the checksum because what follows computes with these numbers.
func (r *record) get(b []byte) bool {
	le := binary.LittleEndian
	if le.Uint16(b) != recordMagic || le.Uint32(b[60:]) != crc32.Checksum(b[:60], castagnoli) {
		return false
	}
	r.kind, r.Stream = kind(b[2]), Stream(b[3])
	count := le.Uint32(b[4:])
	if count > 1<<30 {
		return false
	}
	r.Count = int(count)
	for i, p := range [...]*int64{&r.Seq, &r.Cursor, &r.Offset, &r.Len, &r.At, &r.other} {
		*p = int64(le.Uint64(b[8+8*i:]))
	}
	return r.valid()
}

// maxValue keeps sums of any two numbers from overflowing.
const maxValue = 1 << 61

func (r *record) valid() bool {
	for _, v := range [...]int64{r.Seq, r.Cursor, r.Offset, r.Len, r.other} {
		if v < 0 || v > maxValue {
			return false
		}
	}
	if r.Stream > Stderr {
		return false
	}
	switch r.kind {
	case kindEntry:
		return r.Count > 0
	case kindState:
		return r.Offset <= r.Len
	}
	return false
}

// zero tells whether b holds nothing but zeros.
func zero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
