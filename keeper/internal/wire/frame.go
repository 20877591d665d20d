package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Kind says what a frame is about.
type Kind uint8

// Frame is one message.
type Frame struct {
	Kind   Kind
	Number uint64 // joins an answer to its request
	Body   []byte
	Files  []int // descriptors; who receives a frame owns them
	Short  bool  // descriptors did not arrive: the receiver had no room for them
}

// Limits of a frame.
const (
	MaxBody  = 8 << 20 // no kernel takes arguments and environment longer than 6 MiB
	MaxFiles = 4

	headerSize = 16
)

// ErrMalformed is what a peer that breaks the rules is told, and loses its
// connection by.
var ErrMalformed = errors.New("malformed frame")

var magic = [2]byte{'R', 'V'}

func (f Frame) encode() ([]byte, error) {
	if len(f.Body) > MaxBody || len(f.Files) > MaxFiles {
		return nil, fmt.Errorf("%w: %d bytes and %d files are too many", ErrMalformed, len(f.Body), len(f.Files))
	}
	b := make([]byte, headerSize, headerSize+len(f.Body))
	copy(b, magic[:])
	b[2], b[3] = byte(f.Kind), byte(len(f.Files))
	binary.LittleEndian.PutUint32(b[4:], uint32(len(f.Body)))
	binary.LittleEndian.PutUint64(b[8:], f.Number)
	return append(b, f.Body...), nil
}

// header is the fixed part of a frame.
type header struct {
	kind   Kind
	files  int
	length int
	number uint64
}

func decodeHeader(b []byte) (header, error) {
	h := header{kind: Kind(b[2]), files: int(b[3]), number: binary.LittleEndian.Uint64(b[8:])}
	n := binary.LittleEndian.Uint32(b[4:])
	if [2]byte(b[:2]) != magic || n > MaxBody || h.files > MaxFiles {
		return h, ErrMalformed
	}
	h.length = int(n)
	return h, nil
}
