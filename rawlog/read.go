package rawlog

import "bytes"

// sampleSize is how many bytes before the read position are looked at again.
const sampleSize = 64

// sample remembers bytes already read, to notice that a program has truncated
// the file under its writers, as a re-open of /dev/stdout by `>` does. The size
// alone does not tell: the new content may be as long as the old.
type sample struct {
	head, tail   [sampleSize]byte // first bytes of the file, last bytes read
	nhead, ntail int
}

// Read reads the next unread bytes of a stream into buf and returns their
// number and offset; 0 when there are none now.
func (l *Log) Read(s Stream, buf []byte) (n int, off int64, err error) {
	st := &l.streams[s]
	for {
		l.mu.RLock()
		n, ok, err := st.read(buf)
		off := st.pos.Load() - int64(n)
		l.mu.RUnlock()
		if ok {
			return n, off, err
		}
		if err := l.rewind(st); err != nil {
			return 0, off, err
		}
	}
}

// Position is the offset of the next byte Read returns.
func (l *Log) Position(s Stream) int64 { return l.streams[s].pos.Load() }

// read reads at the position; ok is false when the file was truncated. The
// sample rides along in the same call.
func (st *stream) read(buf []byte) (n int, ok bool, err error) {
	if st.log.finished {
		return 0, true, ErrFinished
	}
	if st.b == nil {
		return 0, true, nil
	}
	var again [sampleSize]byte
	old := again[:st.seen.ntail]
	phys := st.pos.Load() - st.base
	n, err = st.b.readv(old, buf, phys-int64(len(old)))
	if err != nil {
		return 0, true, err
	}
	n -= len(old)
	if n < 0 || (!bytes.Equal(old, st.seen.tail[:len(old)]) && st.replaced()) {
		return 0, false, nil
	}
	st.seen.add(old, buf[:n], phys)
	st.pos.Add(int64(n))
	return n, true, nil
}

// replaced tells a truncated and rewritten file from one in which a writer with
// an offset of its own has overwritten bytes: that one still begins as it did.
func (st *stream) replaced() bool {
	var again [sampleSize]byte
	n, err := st.b.readv(again[:st.seen.nhead], nil, 0)
	return err == nil && !bytes.Equal(again[:n], st.seen.head[:st.seen.nhead])
}

// add remembers the bytes p, read at phys after old.
func (m *sample) add(old, p []byte, phys int64) {
	if phys < sampleSize && m.nhead == int(phys) {
		m.nhead += copy(m.head[m.nhead:], p)
	}
	keep := min(len(old), max(0, sampleSize-len(p)))
	p = p[max(0, len(p)-sampleSize):]
	copy(m.tail[:], old[len(old)-keep:])
	copy(m.tail[keep:], p)
	m.ntail = keep + len(p)
}

// rewind continues a truncated stream at the file's new beginning. What was
// there stays counted and becomes a hole.
func (l *Log) rewind(st *stream) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	pos := st.pos.Load()
	st.cut, st.lost = true, st.lost+pos-st.base-st.hole.Len()
	st.base, st.hole, st.seen = pos, Span{}, sample{}
	if err := l.idx.save(st.id, st.base, st.hole); err != nil {
		return err
	}
	return l.idx.drop(st.id, l.allHoles())
}

// Truncated reports, once, that a program has truncated the stream's file, and
// how many bytes already read are lost by it.
func (l *Log) Truncated(s Stream) (lost int64, ok bool) {
	st := &l.streams[s]
	lost, ok = st.lost, st.cut
	st.lost, st.cut = 0, false
	return lost, ok
}

func (l *Log) allHoles() [2][]Span {
	return [2][]Span{l.streams[0].holes(), l.streams[1].holes()}
}
