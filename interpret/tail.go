package interpret

import (
	"bytes"
	"iter"

	"github.com/reeverun/reeve/process"
)

// tailLines is how many lines of each stream's end are remembered.
const tailLines = 16

// tail remembers the last lines of a stream that are not blank. Lines are
// copied at the end of a block, not one by one: a fast stream comes in large
// blocks.
type tail struct {
	lines *[tailLines][]byte // a ring; each buffer is used again; nil until there is a line
	n     int                // lines ever added
}

func (t *tail) add(line []byte) {
	if t.lines == nil {
		t.lines = new([tailLines][]byte)
	}
	slot := &t.lines[t.n%tailLines]
	*slot = append((*slot)[:0], line[:min(len(line), maxText)]...)
	t.n++
}

// addLines adds the last lines of a block.
func (t *tail) addLines(block []byte, spans []Span) {
	first, found := len(spans), 0
	for first > 0 && found < tailLines {
		first--
		if !blank(block[spans[first].Start:spans[first].End]) {
			found++
		}
	}
	for _, sp := range spans[first:] {
		if line := block[sp.Start:sp.End]; !blank(line) {
			t.add(line)
		}
	}
}

// addBlock adds the last lines of a block that was not split.
func (t *tail) addBlock(block []byte) {
	const enough = 4 << 10
	if len(block) > enough {
		cut := block[len(block)-enough:]
		if i := bytes.IndexAny(cut[:len(cut)-1], "\r\n"); i >= 0 {
			block = cut[i+1:]
		}
	}
	t.addLines(block, Lines(block, nil))
}

func (t *tail) newestFirst(yield func(string) bool) bool {
	for i := t.n - 1; i >= max(0, t.n-tailLines); i-- {
		if !yield(Text(t.lines[i%tailLines])) {
			return false
		}
	}
	return true
}

func blank(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }

// Recent iterates over the last lines of a stream that are not blank, newest
// first, beginning with the one a hook is called for. How far it goes back is
// limited to 16 lines, fewer if they are long.
func (c *Context) Recent(stream process.Stream) iter.Seq[string] {
	s := c.s
	return func(yield func(string) bool) {
		if stream == s.stream && s.spans != nil {
			for i := s.line; i >= 0; i-- {
				line := s.block[s.spans[i].Start:s.spans[i].End]
				if !blank(line) && !yield(Text(line[:min(len(line), maxText)])) {
					return
				}
			}
		}
		s.tails[streamIndex(stream)].newestFirst(yield)
	}
}

func streamIndex(s process.Stream) int {
	if s == process.Stderr {
		return 1
	}
	return 0
}
