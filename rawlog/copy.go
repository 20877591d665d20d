package rawlog

import (
	"errors"
	"io"
)

// copyBuffer is how much Copy reads at a time.
const copyBuffer = 256 << 10

// Copy writes the bytes [from, to) of a stream to w, with a Marker in place of
// each hole, and returns how many bytes it wrote. A to that is negative or
// beyond the end means the end as it is now.
func (r *Reader) Copy(w io.Writer, s Stream, from, to int64) (int64, error) {
	if size := r.Size(s); to < 0 || to > size {
		to = size
	}
	var buf []byte
	var written int64
	for from < to {
		if buf == nil {
			buf = make([]byte, min(copyBuffer, to-from))
		}
		n, err := r.ReadAt(s, buf[:min(int64(len(buf)), to-from)], from)
		out, next := buf[:n], from+int64(n)
		if n == 0 && errors.Is(err, ErrHole) {
			next = r.holeEnd(s, from, to)
			out = []byte(Marker(next - from))
		} else if n == 0 {
			return written, unexpected(err)
		}
		m, err := w.Write(out)
		written += int64(m)
		if err != nil {
			return written, err
		}
		from = next
	}
	return written, nil
}

// holeEnd returns where the hole around from ends, but at most to.
func (r *Reader) holeEnd(s Stream, from, to int64) int64 {
	for _, h := range r.Holes(s) {
		if h.contains(from) {
			return min(h.To, to)
		}
	}
	return to // the log was removed meanwhile
}

// unexpected is err where the end was not to be.
func unexpected(err error) error {
	if err == nil || err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
