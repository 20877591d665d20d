package rawlog

import "io"

// heapLog is a finished log in memory.
type heapLog struct{ streams [2]heapStream }

// heapStream is what is kept of a stream: data holds the bytes before the hole
// and those after it.
type heapStream struct {
	base int64
	hole Span
	n    int64
	data []byte
}

// toHeap copies what is kept of a stream to the heap.
func (l *Log) toHeap(st *stream) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.heap == nil {
		l.heap = &heapLog{}
	}
	h := &l.heap.streams[st.id]
	h.base, h.hole, h.n = st.base, st.hole, st.size()
	head, tail, _, _ := l.limits()
	if h.n-h.base-h.hole.Len() > head+tail {
		if hole, ok := st.grow(h.n, 1); ok {
			h.hole, st.hole = hole, hole
			_ = l.idx.drop(st.id, l.allHoles())
		}
	}
	if h.n == h.base {
		return nil
	}
	if err := h.load(st.b); err != nil {
		h.base, h.hole, h.data = h.n, Span{}, nil // all of it is lost
		return err
	}
	return nil
}

func (h *heapStream) load(b backing) error {
	h.data = make([]byte, h.n-h.base-h.hole.Len())
	head := h.data
	if h.hole.Len() > 0 {
		head = h.data[:h.hole.From-h.base]
	}
	if err := readFull(b, head, 0); err != nil {
		return err
	}
	return readFull(b, h.data[len(head):], h.hole.To-h.base)
}

func readFull(b backing, p []byte, off int64) error {
	for len(p) > 0 {
		n, err := b.readv(p, nil, off)
		if err != nil {
			return err
		}
		if n == 0 {
			return io.ErrUnexpectedEOF
		}
		p, off = p[n:], off+int64(n)
	}
	return nil
}

func (h *heapStream) size() int64   { return h.n }
func (h *heapStream) holes() []Span { return holes(h.base, h.hole) }
func (h *heapStream) close()        {}

func (h *heapStream) readAt(p []byte, off int64) (int, error) {
	n, why := clip(h.holes(), h.n, off, len(p))
	if n == 0 {
		return 0, why
	}
	at := off - h.base
	if h.hole.Len() > 0 && off >= h.hole.To {
		at -= h.hole.Len()
	}
	return short(copy(p[:n], h.data[min(at, int64(len(h.data))):]), n, nil, why)
}

// inMemory returns the finished log of a run that was kept in memory.
func (l *Log) inMemory() (*finished, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.heap == nil || l.removed {
		return nil, ErrNotKept
	}
	f := &finished{idx: l.idx}
	for i := range f.streams {
		f.streams[i] = &l.heap.streams[i]
	}
	return f, nil
}
