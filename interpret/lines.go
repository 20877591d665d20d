package interpret

// MaxLine is the length in bytes above which a line comes in pieces.
const MaxLine = 64 << 10

// Span is one line of a block: its content is block[Start:End], the next line
// starts at Next. What lies between End and Next is the terminator; a piece
// of an overlong line and an unterminated last line have none. The spans of
// one block are contiguous: each Start is the Next before it.
type Span struct{ Start, End, Next int }

// Splitter splits a stream into lines, block by block. The zero value is
// ready; one Splitter serves one stream.
//
// A line ends at "\n", "\r\n" or a bare "\r". A "\r" ends its line at once, so
// that progress bars are seen while they move; a "\n" that follows belongs to
// the same terminator, also when it only arrives with the next block. It is
// then swallowed: it belongs to no line, and the first span of that block
// starts after it. A line over the limit comes in pieces of at most that many
// bytes, none lost, none cut inside a valid UTF-8 sequence.
//
// Where a line ends depends on the stream's bytes alone, never on how they
// were cut into blocks. And the bytes from the Start of any span to the Next
// of a later one, split by a fresh Splitter with eof set (see [Lines]), give
// exactly the spans between: an index of (offset, length, count) replays.
type Splitter struct {
	// AfterCR says that the byte before the next block was a "\r". Split and
	// Count keep it; a reader that goes on in the middle of a stream sets it
	// by looking at the byte before its offset.
	AfterCR bool

	// Max is the longest line in bytes, at least 4. Zero means MaxLine.
	Max int
}

// Lines splits a complete range of lines, as an index entry names one, and
// appends its spans.
func Lines(block []byte, spans []Span) []Span {
	var s Splitter
	spans, _ = s.Split(block, spans, true)
	return spans
}

// Split appends the lines of a block that begins at a line start to spans.
// rest is where the unterminated remainder begins: the next block is to begin
// there. With eof the remainder is a line too, unless it is empty. A block of
// Max+4 bytes or more always yields a line.
func (s *Splitter) Split(block []byte, spans []Span, eof bool) (lines []Span, rest int) {
	c := s.begin(block, eof)
	if c.cr == len(block) {
		spans = c.short(spans)
	}
	for {
		sp, ok := c.next()
		if !ok {
			break
		}
		spans = append(spans, sp)
	}
	return spans, s.end(&c)
}

// Count is Split for when nobody reads the lines: it returns their number,
// the Start of the first and the rest, exactly as Split would.
func (s *Splitter) Count(block []byte, eof bool) (lines, first, rest int) {
	c := s.begin(block, eof)
	first = c.pos
	if c.cr == len(block) {
		lines = c.skip()
	}
	for {
		if _, ok := c.next(); !ok {
			return lines, first, s.end(&c)
		}
		lines++
	}
}

func (s *Splitter) begin(block []byte, eof bool) cursor {
	c := cursor{block: block, max: s.Max, eof: eof, nl: -1, cr: -1}
	if c.max == 0 {
		c.max = MaxLine
	}
	if s.AfterCR && len(block) > 0 && block[0] == '\n' {
		c.pos = 1
	}
	c.cr = c.find('\r')
	return c
}

func (s *Splitter) end(c *cursor) (rest int) {
	if c.pos > 0 {
		s.AfterCR = c.block[c.pos-1] == '\r'
	}
	return c.pos
}
