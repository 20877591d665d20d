package rawlog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// source is a finished stream. It is safe for concurrent use, close excepted.
type source interface {
	size() int64
	holes() []Span
	// readAt behaves as Reader.ReadAt.
	readAt(p []byte, off int64) (int, error)
	close()
}

// clip returns how many of n bytes can be read at off without a break, and the
// error that tells what ends them, nil if nothing does.
func clip(holes []Span, size, off int64, n int) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("negative offset %d", off)
	}
	end, why := size, io.EOF
	for _, h := range holes {
		if h.contains(off) {
			return 0, ErrHole
		}
		if h.From > off {
			end, why = min(size, h.From), ErrHole
			break
		}
	}
	if off >= end {
		return 0, io.EOF
	}
	if int64(n) <= end-off {
		return n, nil
	}
	return int(end - off), why
}

// plain is a stream's file.
type plain struct {
	f    *os.File
	base int64
	hole Span
	n    int64
}

func openPlain(path string, base int64, hole Span) (*plain, error) {
	f, err := openPath(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	n, err := fileSize(f)
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return &plain{f: f, base: base, hole: hole, n: base + n}, nil
}

func (p *plain) size() int64   { return p.n }
func (p *plain) holes() []Span { return holes(p.base, p.hole) }
func (p *plain) close()        { _ = p.f.Close() }

func (p *plain) readAt(b []byte, off int64) (int, error) {
	n, why := clip(p.holes(), p.n, off, len(b))
	if n == 0 {
		return 0, why
	}
	m, err := p.f.ReadAt(b[:n], off-p.base)
	return short(m, n, err, why)
}

// short returns what to tell about m of n bytes read before why.
func short(m, n int, err, why error) (int, error) {
	if m == n {
		return m, why
	}
	return m, unexpected(err) // somebody has truncated it
}

// none is a stream that was never opened.
type none struct{}

func (none) size() int64                           { return 0 }
func (none) holes() []Span                         { return nil }
func (none) readAt(_ []byte, _ int64) (int, error) { return 0, io.EOF }
func (none) close()                                {}

// broken is a stream that is there and cannot be read; its log's other stream
// can.
type broken struct {
	none
	err error
}

func (b broken) readAt(_ []byte, _ int64) (int, error) { return 0, b.err }

// finished is a run's log that nobody writes any more.
type finished struct {
	streams [2]source
	idx     table
}

// openFinished opens what is kept of a run on disk.
func (ls *Logs) openFinished(id int64, run int) (*finished, error) {
	if ls.cfg.Dir == "" {
		return nil, ErrNotKept
	}
	f := &finished{idx: noIndex{}}
	x, err := openIndex(ls.path(id, run, indexSuffix), false)
	if err == nil {
		f.idx = x
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open log: %w", err)
	}
	kept := 0
	for s := range f.streams {
		src, err := ls.openStream(id, run, Stream(s), x)
		switch {
		case err != nil:
			src = broken{err: fmt.Errorf("open log: %w", err)}
		case src == nil:
			src = none{}
			kept--
		}
		f.streams[s] = src
		kept++
	}
	if kept == 0 {
		f.release()
		return nil, ErrNotKept
	}
	return f, nil
}

// openStream opens a stream, nil if there is none. A compressed file has its
// name only when it is complete and on disk, so it is preferred to the plain
// one, which a crash may have left beside it.
func (ls *Logs) openStream(id int64, run int, s Stream, x *indexFile) (source, error) {
	path := ls.path(id, run, "."+s.String())
	gz, err := openGzip(path + ".gz")
	if err == nil {
		return gz, nil
	}
	var base int64
	var hole Span
	if x != nil {
		base, hole = x.load(s)
	}
	p, perr := openPlain(path, base, hole)
	switch {
	case perr == nil:
		return p, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	case errors.Is(perr, fs.ErrNotExist):
		return nil, nil
	}
	return nil, perr
}

func (f *finished) release() {
	for _, s := range f.streams {
		if s != nil {
			s.close()
		}
	}
	if x, ok := f.idx.(*indexFile); ok {
		_ = x.close()
	}
}
