package interpret

import "github.com/reeverun/reeve/process"

// Line is one line of output, without its terminator, decoded by [Text].
type Line struct {
	Stream process.Stream
	Text   string
}

// Interpreter reads the output of one run. An instance serves one run: it may
// keep state between calls without locks. The Context is valid during the
// call only.
type Interpreter interface {
	// OnLine is called for each finished line.
	OnLine(c *Context, l Line)
	// OnExit is called once, after the last line and before open phases are
	// closed.
	OnExit(c *Context, e process.Exit)
}

// PartialInterpreter also sees lines that are not terminated yet and fell
// silent: prompts. The finished line is given to OnLine later.
type PartialInterpreter interface {
	Interpreter
	OnPartial(c *Context, l Line)
}

// Filter is implemented by an interpreter that knows most lines to be of no
// interest, so that a fast stream costs next to nothing.
type Filter interface {
	Interpreter
	// Interest returns the offset, at or after from, of the first byte of a
	// block that might matter; len(block) if there is none. Lines that lie
	// wholly before it are not given to OnLine. The first call for a block
	// has from 0, each later one a greater from, after the line before was
	// given to OnLine: an implementation may remember within a block what it
	// found. It must not keep the block.
	Interest(stream process.Stream, block []byte, from int) int
}
