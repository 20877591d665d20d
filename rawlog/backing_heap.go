package rawlog

import (
	"os"
	"sync"
)

// chunkSize is the unit in which the heap backing takes and frees memory.
const chunkSize = 64 << 10

// heapBacking holds a stream on the heap, in chunks of which those inside a
// hole are freed. It serves where the system has no anonymous memory files; it
// has no descriptor, so output comes through Append only.
type heapBacking struct {
	mu     sync.Mutex
	chunks map[int64]*[chunkSize]byte // by offset / chunkSize
	n      int64
}

func newHeap() *heapBacking { return &heapBacking{chunks: map[int64]*[chunkSize]byte{}} }

func (b *heapBacking) write(p []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(p) > 0 {
		c := b.chunks[b.n/chunkSize]
		if c == nil {
			c = new([chunkSize]byte)
			b.chunks[b.n/chunkSize] = c
		}
		m := copy(c[b.n%chunkSize:], p)
		b.n += int64(m)
		p = p[m:]
	}
	return nil
}

func (b *heapBacking) readv(x, y []byte, off int64) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.read(x, off)
	if n == len(x) {
		n += b.read(y, off+int64(n))
	}
	return n, nil
}

func (b *heapBacking) read(p []byte, off int64) int {
	p = p[:max(0, min(int64(len(p)), b.n-off))]
	for i := 0; i < len(p); {
		at := off + int64(i)
		c := b.chunks[at/chunkSize]
		if c == nil {
			c = new([chunkSize]byte)
		}
		i += copy(p[i:], c[at%chunkSize:])
	}
	return len(p)
}

func (b *heapBacking) size() (int64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.n, nil
}

func (b *heapBacking) punch(from, to int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := (from + chunkSize - 1) / chunkSize; (i+1)*chunkSize <= to; i++ {
		delete(b.chunks, i)
	}
	return nil
}

func (b *heapBacking) handOut() (*os.File, error) { return nil, nil }
func (b *heapBacking) watchPath() (string, bool)  { return "", false }

func (b *heapBacking) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.chunks = nil
	return nil
}
