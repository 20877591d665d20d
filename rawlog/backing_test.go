package rawlog

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
)

// All backings behave alike.
func TestBackings(t *testing.T) {
	for name, make := range map[string]func() (backing, error){
		"file":   func() (backing, error) { return createFile(filepath.Join(t.TempDir(), "x")) },
		"memory": newMemory,
		"heap":   func() (backing, error) { return newHeap(), nil },
	} {
		t.Run(name, func(t *testing.T) {
			b, err := make()
			check(t, err)
			conform(t, b)
			check(t, b.close())
		})
	}
}

func conform(t *testing.T, b backing) {
	rnd := rand.New(rand.NewPCG(1, 1))
	var want []byte
	for range 200 {
		p := make([]byte, rnd.IntN(3000))
		for i := range p {
			p[i] = byte(rnd.Uint32() | 1)
		}
		check(t, b.write(p))
		want = append(want, p...)
	}
	size, err := b.size()
	check(t, err)
	equal(t, "size", size, int64(len(want)))
	for range 200 {
		off := rnd.IntN(len(want) + 100)
		x, y := make([]byte, rnd.IntN(500)), make([]byte, rnd.IntN(100000))
		n, err := b.readv(x, y, int64(off))
		check(t, err)
		equal(t, "read", n, max(0, min(len(x)+len(y), len(want)-off)))
		got := slices.Concat(x, y)[:n]
		if n > 0 && !bytes.Equal(got, want[off:off+n]) {
			t.Fatalf("%d bytes at %d differ", n, off)
		}
	}
	check(t, b.punch(chunkSize, 3*chunkSize))
	got := make([]byte, len(want))
	n, err := b.readv(got, nil, 0)
	check(t, err)
	clear(want[chunkSize : 3*chunkSize])
	equal(t, "read over the hole", n, len(want))
	equal(t, "bytes over the hole", bytes.Equal(got, want), true)
}
