package rawlog

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"sort"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// member is one part of a compressed log.
type member struct {
	span   Span
	at     int64 // in the file
	packed int64
	hole   bool
}

// maxMembers bounds what a damaged file can make a reader allocate.
const maxMembers = 1 << 20

// packed is a compressed stream. It keeps the member unpacked last, so that
// reading on costs each member once.
type packed struct {
	f       *os.File
	members []member
	gone    []Span

	mu   sync.Mutex
	z    gzip.Reader
	last int // the member in raw, -1: none
	raw  []byte
}

// openGzip opens a compressed stream and reads its member headers.
func openGzip(path string) (*packed, error) {
	f, err := openPath(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	p := &packed{f: f, last: -1}
	if err := p.scan(); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// scan reads all headers. Members must follow each other without gap.
func (p *packed) scan() error {
	size, err := fileSize(p.f)
	if err != nil {
		return err
	}
	var b [extraOffset + extraSize]byte
	var off int64
	for at := int64(0); at < size; {
		if _, err := p.f.ReadAt(b[:], at); err != nil {
			return fmt.Errorf("member header at %d: %w: %w", at, ErrCorrupt, err)
		}
		m, ok := getMember(b[:])
		if !ok || m.span.From != off || m.packed > size-at || len(p.members) >= maxMembers {
			return fmt.Errorf("member header at %d: %w", at, ErrCorrupt)
		}
		m.at = at
		p.members = append(p.members, m)
		if m.hole {
			p.gone = append(p.gone, m.span)
		}
		at, off = at+m.packed, m.span.To
	}
	if len(p.members) == 0 {
		return ErrCorrupt
	}
	return nil
}

func getMember(b []byte) (member, bool) {
	le := binary.LittleEndian
	if b[0] != 0x1f || b[1] != 0x8b || b[3] != 4 || le.Uint16(b[10:]) != extraSize {
		return member{}, false
	}
	b = b[extraOffset:]
	if b[0] != 'R' || b[1] != 'V' || b[24] > 1 {
		return member{}, false
	}
	from, n := int64(le.Uint64(b[4:])), int64(le.Uint64(b[12:]))
	m := member{span: Span{from, from + n}, packed: int64(le.Uint32(b[20:])), hole: b[24] == 1}
	ok := from >= 0 && n >= 0 && from <= maxValue && n <= maxValue && m.packed > extraOffset+extraSize && (m.hole || n <= memberSize)
	return m, ok
}

func (p *packed) size() int64   { return p.members[len(p.members)-1].span.To }
func (p *packed) holes() []Span { return p.gone }
func (p *packed) close()        { _ = p.f.Close() }

func (p *packed) readAt(b []byte, off int64) (int, error) {
	n, why := clip(p.gone, p.size(), off, len(b))
	if n == 0 {
		return 0, why
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for done := 0; done < n; {
		i := sort.Search(len(p.members), func(i int) bool { return p.members[i].span.To > off })
		if err := p.load(i); err != nil {
			return done, err
		}
		m := copy(b[done:n], p.raw[off-p.members[i].span.From:])
		done, off = done+m, off+int64(m)
	}
	return n, why
}

// load unpacks member i.
func (p *packed) load(i int) error {
	if p.last == i {
		return nil
	}
	p.last = -1
	m := p.members[i]
	z := make([]byte, m.packed)
	if _, err := p.f.ReadAt(z, m.at); err != nil {
		return fmt.Errorf("read member at %d: %w", m.at, err)
	}
	if err := p.z.Reset(bytes.NewReader(z)); err != nil {
		return fmt.Errorf("unpack member at %d: %w", m.at, err)
	}
	p.z.Multistream(false)
	if int64(cap(p.raw)) < m.span.Len() {
		p.raw = make([]byte, m.span.Len())
	}
	p.raw = p.raw[:m.span.Len()]
	if _, err := io.ReadFull(&p.z, p.raw); err != nil {
		return fmt.Errorf("unpack member at %d: %w", m.at, unexpected(err))
	}
	if n, err := p.z.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		return fmt.Errorf("unpack member at %d: %w", m.at, ErrCorrupt)
	}
	p.last = i
	return nil
}
