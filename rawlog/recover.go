package rawlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// recover takes up the files of a run, with the entries up to lastSeq.
func (l *Log) recover(lastSeq int64) error {
	x, err := openIndex(l.path(indexSuffix), true)
	switch {
	case err == nil:
		l.idx = x
		if err := x.cut(lastSeq); err != nil {
			return err
		}
		if r, _, ok := prev(x, x.len()); ok {
			l.tail.set(&r)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	for i := range l.streams {
		st := &l.streams[i]
		if x != nil {
			st.base, st.hole = x.load(st.id)
		}
		if err := st.recover(l.tail.ends[i]); err != nil {
			return err
		}
	}
	return nil
}

// cut drops the entries above a seq, which nobody has seen. Unlike a write it
// may truncate: what it removes is of no use after a crash, either.
func (x *indexFile) cut(lastSeq int64) error {
	n := search(x, func(r *record) bool { return r.Seq > lastSeq })
	if n >= x.n {
		return nil
	}
	if err := x.f.Truncate(slot(n)); err != nil {
		return fmt.Errorf("cut index: %w", err)
	}
	x.n = n
	return nil
}

// recover opens the stream's file and positions it after what was indexed. A
// stream whose compressed file is complete was read to its end before that was
// made; its plain file, if still there, is litter.
func (st *stream) recover(indexed int64) error {
	path := st.log.path("." + st.id.String())
	if gz, err := openGzip(path + ".gz"); err == nil {
		st.pos.Store(max(indexed, gz.size()))
		gz.close()
		_ = os.Remove(path)
		st.gz = true
		return nil
	}
	b, err := openFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		st.pos.Store(indexed)
		if indexed == 0 {
			return nil
		}
		st.base, st.hole = indexed, Span{}
		return st.log.idx.save(st.id, st.base, st.hole)
	}
	if err != nil {
		return err
	}
	st.b = b
	st.pos.Store(max(indexed, st.base))
	st.used = st.pos.Load()
	size, err := b.size()
	if err != nil {
		return err
	}
	if st.base+size < st.pos.Load() {
		return st.log.rewind(st)
	}
	return st.resample()
}

// resample reads the sample a Read would have left.
func (st *stream) resample() error {
	phys := st.pos.Load() - st.base
	m := &st.seen
	if phys == 0 {
		m.forget(st.pos.Load(), st.base, st.hole)
		return nil
	}
	m.nhead = int(min(sampleSize, phys))
	m.ntail = m.nhead
	if _, err := st.b.readv(m.head[:m.nhead], nil, 0); err != nil {
		return err
	}
	if _, err := st.b.readv(m.tail[:m.ntail], nil, phys-int64(m.ntail)); err != nil {
		return err
	}
	m.forget(st.pos.Load(), st.base, st.hole)
	return nil
}
