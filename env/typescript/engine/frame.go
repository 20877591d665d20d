package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Type is what a frame is. On the wire a frame is a length of four bytes,
// little endian, counting what follows; one byte of type; the payload.
type Type byte

// The frames to a child.
const (
	TypeScript   Type = 'S' // a [Script], first and once
	TypeResult   Type = 'R' // JSON {"id":7,"ok":true,"value":…} or {"id":7,"ok":false,"error":{"message":"…","code":"…"}}
	TypeSignal   Type = 'G' // text SIGTERM or SIGINT
	TypeContinue Type = 'C' // text: milliseconds it was stopped, by which its timers move
)

// The frames from a child. The last one is TypeDone or TypeError; then it ends.
const (
	TypeStdout Type = 'O' // bytes
	TypeStderr Type = 'E' // bytes
	TypeOutput Type = 'M' // JSON object, to be merged
	TypeCall   Type = 'K' // JSON {"id":7,"op":"tool","service":"…","tool":"…","params":…}; ops: tool, spawn, wait, signal
	TypeAware  Type = 'A' // empty: it has looked at reeve.signal and shall be asked before it is killed
	TypeUsage  Type = 'U' // JSON [Usage], by the engine, right before the last frame
	TypeDone   Type = 'D' // empty
	TypeError  Type = 'X' // JSON {"message":"…","kind":"…"}; kinds: "" (uncaught), "memory", "cpu", "unsettled", "internal"
)

// Usage is what a child says it has consumed when it ends by itself, so that
// nobody has to wait until the system has taken it apart.
type Usage struct {
	CPUMicros int64 `json:"cpuUs"`
	MaxRSS    int64 `json:"rssBytes"`
}

// MaxFrame bounds a frame in either direction.
const MaxFrame = 16 << 20

// MaxDepth bounds how deep the JSON in a frame from a child is nested. The
// prelude refuses what a program nests deeper than a little less.
const MaxDepth = 256

// TooDeep reports whether JSON is nested deeper than MaxDepth. What is no JSON
// may get either answer.
func TooDeep(b []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			if depth++; depth > MaxDepth {
				return true
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return false
}

// ErrFrame is a frame that breaks the rules.
var ErrFrame = errors.New("malformed frame")

// Script is what a child runs. Its payload is, little endian: heap limit (u64,
// bytes), CPU limit (u64, milliseconds, 0: none), then name, code and
// meta, each after its length (u32).
type Script struct {
	HeapBytes uint64
	CPUMS     uint64
	Name      string // for stack traces, e.g. "program.ts"
	Code      string // JavaScript: an expression whose value is an async function
	Meta      string // JSON for the prelude: see [Meta]
}

// Meta is what the prelude is told about the program.
type Meta struct {
	ID       int64  `json:"id"`       // the process's
	Run      int    `json:"run"`      //
	Mappings string `json:"mappings"` // of the source map, from Code to what the client wrote
	// Lines and Columns are how far the wrapper in front of the code moved it:
	// Lines for all, Columns for its first line.
	Lines   int `json:"lines"`
	Columns int `json:"columns"`
}

// AppendFrame appends a frame to b.
func AppendFrame(b []byte, t Type, payload []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(payload)+1))
	b = append(b, byte(t))
	return append(b, payload...)
}

// AppendScript appends the frame of a script to b.
func AppendScript(b []byte, s *Script) []byte {
	n := 1 + 8 + 8 + 4 + len(s.Name) + 4 + len(s.Code) + 4 + len(s.Meta)
	b = binary.LittleEndian.AppendUint32(b, uint32(n))
	b = append(b, byte(TypeScript))
	b = binary.LittleEndian.AppendUint64(b, s.HeapBytes)
	b = binary.LittleEndian.AppendUint64(b, s.CPUMS)
	for _, text := range []string{s.Name, s.Code, s.Meta} {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
		b = append(b, text...)
	}
	return b
}

// ReadScript reads the payload of a script's frame.
func ReadScript(payload []byte) (*Script, error) {
	if len(payload) < 16 {
		return nil, ErrFrame
	}
	s := &Script{HeapBytes: binary.LittleEndian.Uint64(payload), CPUMS: binary.LittleEndian.Uint64(payload[8:])}
	rest := payload[16:]
	for _, text := range []*string{&s.Name, &s.Code, &s.Meta} {
		if len(rest) < 4 {
			return nil, ErrFrame
		}
		n := binary.LittleEndian.Uint32(rest)
		if rest = rest[4:]; uint64(n) > uint64(len(rest)) {
			return nil, ErrFrame
		}
		*text, rest = string(rest[:n]), rest[n:]
	}
	if len(rest) > 0 {
		return nil, ErrFrame
	}
	return s, nil
}

// Reader reads frames. Its buffer grows with what has arrived, not with what a
// frame claims to be.
type Reader struct {
	r   io.Reader
	buf []byte // what was read and not returned: buf[at:]
	at  int
}

// NewReader reads frames from r.
func NewReader(r io.Reader) *Reader { return &Reader{r: r} }

// Next returns the next frame; its payload is valid until the following call.
// io.EOF is the end between two frames, io.ErrUnexpectedEOF that within one.
func (r *Reader) Next() (Type, []byte, error) {
	if err := r.fill(4); err != nil {
		return 0, nil, err
	}
	n := int(binary.LittleEndian.Uint32(r.buf[r.at:]))
	if n < 1 || n > MaxFrame {
		return 0, nil, fmt.Errorf("%w: length %d", ErrFrame, n)
	}
	if err := r.fill(4 + n); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return 0, nil, err
	}
	frame := r.buf[r.at+4 : r.at+4+n]
	r.at += 4 + n
	return Type(frame[0]), frame[1:], nil
}

// fill reads until n bytes are there to return.
func (r *Reader) fill(n int) error {
	const step, keep = 4 << 10, 64 << 10
	for len(r.buf)-r.at < n {
		have := copy(r.buf, r.buf[r.at:])
		r.buf, r.at = r.buf[:have], 0
		if have == 0 && cap(r.buf) > keep {
			r.buf = nil // one large frame is no reason to hold its memory
		}
		if len(r.buf) == cap(r.buf) {
			grown := make([]byte, have, max(step, 2*cap(r.buf)))
			copy(grown, r.buf)
			r.buf = grown
		}
		got, err := r.r.Read(r.buf[have:cap(r.buf)])
		r.buf = r.buf[:have+got]
		if got > 0 {
			continue
		}
		if err == io.EOF && have > 0 {
			return io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
	}
	return nil
}
