package interpret

import (
	"bytes"
	"unicode/utf8"
)

// cursor walks the lines of one block. nl and cr are the next "\n" and "\r"
// at or after pos, len(block) if there is none: each is searched again only
// when it has been passed, so that a block without "\r" is searched for it
// once.
type cursor struct {
	block  []byte
	pos    int
	nl, cr int
	max    int
	eof    bool
}

func (c *cursor) find(b byte) int {
	if i := bytes.IndexByte(c.block[c.pos:], b); i >= 0 {
		return c.pos + i
	}
	return len(c.block)
}

// next returns the line at pos and moves behind it.
func (c *cursor) next() (Span, bool) {
	if c.nl < c.pos {
		c.nl = c.find('\n')
	}
	if c.cr < c.pos {
		c.cr = c.find('\r')
	}
	sp := Span{Start: c.pos, End: min(c.nl, c.cr)}
	sp.Next = sp.End + 1
	if sp.End-sp.Start > c.max {
		var ok bool
		if sp.End, ok = c.cut(); !ok {
			return sp, false
		}
		sp.Next = sp.End
	} else if sp.End == len(c.block) {
		if !c.eof || sp.End == sp.Start {
			return sp, false
		}
		sp.Next = sp.End
	} else if c.nl == c.cr+1 && c.nl < len(c.block) {
		sp.Next++
	}
	c.pos = sp.Next
	return sp, true
}

// cut returns where the first piece of the overlong line at pos ends: at max
// bytes, or up to three earlier where that would be inside a valid UTF-8
// sequence. It is not ok while the bytes that decide it are still to come.
func (c *cursor) cut() (end int, ok bool) {
	end = c.pos + c.max
	for i := end - 1; i >= end-3; i-- {
		if !utf8.RuneStart(c.block[i]) {
			continue
		}
		if !c.eof && !utf8.FullRune(c.block[i:]) {
			return 0, false
		}
		if r, n := utf8.DecodeRune(c.block[i:]); i+n > end && (r != utf8.RuneError || n > 1) {
			return i, true
		}
		break
	}
	return end, true
}

// short appends the terminated lines of a block without "\r", up to an
// overlong one: next without its branches, for the bulk of all output.
func (c *cursor) short(spans []Span) []Span {
	block, pos := c.block, c.pos
	for {
		n := bytes.IndexByte(block[pos:], '\n')
		if n < 0 || n > c.max {
			break
		}
		spans = append(spans, Span{pos, pos + n, pos + n + 1})
		pos += n + 1
	}
	c.pos = pos
	return spans
}

// skip moves behind the last terminated line of a block without "\r" and
// returns how many lines that was, or stops before an overlong line. It looks
// for one "\n" per window of max bytes, not for each of them.
func (c *cursor) skip() (lines int) {
	start := c.pos
	for c.pos < len(c.block) {
		window := c.block[c.pos:min(len(c.block), c.pos+c.max+1)]
		i := bytes.LastIndexByte(window, '\n')
		if i < 0 {
			break
		}
		c.pos += i + 1
	}
	return bytes.Count(c.block[start:c.pos], newline)
}

var newline = []byte{'\n'}
