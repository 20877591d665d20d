package rawlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/klauspost/compress/gzip"
)

// A compressed log is a gzip file of many members, one per memberSize bytes of
// output and one per hole, whose content is the marker. Each member's extra
// field says which bytes it stands for and how long it is, so that a reader
// walks from header to header and unpacks only what it needs:
//
//	'R' 'V' · length u16 · offset u64 · bytes u64 · member length u32 · hole u8
const (
	memberSize  = 1 << 20
	extraSize   = 4 + 21
	extraOffset = 12 // in the member, after the fixed header and XLEN
)

// packFile writes the stream in b to path+".gz", which gets its name when it is
// complete and on disk. Its caller removes path then.
func packFile(path string, b backing, base int64, hole Span) error {
	size, err := b.size()
	if err != nil {
		return err
	}
	tmp := path + ".gz.tmp"
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = pack(f, b, base, hole, base+size)
	if err == nil && size > 0 { // an empty stream has nothing to lose
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(tmp, path+".gz")
	}
	if err != nil {
		_ = os.Remove(tmp)
		return err
	}
	if size > 0 {
		return syncDir(filepath.Dir(path))
	}
	return nil
}

// syncDir makes a rename in dir last before what it replaces is removed.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // a folder cannot be synced there
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// pack writes the members of a stream.
func pack(w io.Writer, b backing, base int64, hole Span, size int64) error {
	p := packer{w: w}
	if hole.Len() == 0 {
		hole = Span{size, size}
	}
	for _, h := range holes(base, Span{}) {
		p.member(h, []byte(Marker(h.Len())), true)
	}
	p.data(b, base, Span{base, min(hole.From, size)})
	if hole.Len() > 0 {
		p.member(hole, []byte(Marker(hole.Len())), true)
	}
	p.data(b, base, Span{hole.To, size})
	if size == 0 {
		p.member(Span{}, nil, false)
	}
	return p.err
}

// packer writes members until the first error.
type packer struct {
	w   io.Writer
	z   *gzip.Writer
	buf bytes.Buffer
	err error
}

func (p *packer) data(b backing, base int64, s Span) {
	raw := make([]byte, max(0, min(memberSize, s.Len())))
	for p.err == nil && s.From < s.To {
		part := raw[:min(int64(len(raw)), s.Len())]
		if p.err = readFull(b, part, s.From-base); p.err != nil {
			return
		}
		next := s.From + int64(len(part))
		p.member(Span{s.From, next}, part, false)
		s.From = next
	}
}

// member writes one member. It is packed in memory first, as its header has to
// tell its length.
func (p *packer) member(s Span, content []byte, hole bool) {
	if p.err != nil {
		return
	}
	p.buf.Reset()
	if p.z == nil {
		p.z, p.err = gzip.NewWriterLevel(&p.buf, gzip.BestSpeed)
		if p.err != nil {
			return
		}
	} else {
		p.z.Reset(&p.buf)
	}
	p.z.Extra = make([]byte, extraSize)
	_, werr := p.z.Write(content)
	if p.err = errors.Join(werr, p.z.Close()); p.err != nil {
		return
	}
	m := p.buf.Bytes()
	putExtra(m[extraOffset:], member{span: s, packed: int64(len(m)), hole: hole})
	_, p.err = p.w.Write(m)
}

func putExtra(b []byte, m member) {
	le := binary.LittleEndian
	b[0], b[1] = 'R', 'V'
	le.PutUint16(b[2:], extraSize-4)
	le.PutUint64(b[4:], uint64(m.span.From))
	le.PutUint64(b[12:], uint64(m.span.Len()))
	le.PutUint32(b[20:], uint32(m.packed))
	b[24] = 0
	if m.hole {
		b[24] = 1
	}
}
