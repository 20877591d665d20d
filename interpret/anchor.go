package interpret

import (
	"regexp/syntax"
	"unicode/utf8"
)

// byteSet is a set of bytes a line may begin with.
type byteSet [256]bool

// firstBytes returns the bytes with which a line must begin for an expression
// that is anchored at the start of the line; ok is false for any other.
func firstBytes(expr string) (set byteSet, ok bool) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return set, false
	}
	anchored, empty := set.addAnchored(re.Simplify())
	return set, anchored && !empty
}

// addAnchored adds the first bytes of an anchored expression. empty says that
// it may match without looking at a byte.
func (b *byteSet) addAnchored(re *syntax.Regexp) (anchored, empty bool) {
	switch re.Op {
	case syntax.OpCapture:
		return b.addAnchored(re.Sub[0])
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			a, e := b.addAnchored(sub)
			if !a {
				return false, false
			}
			empty = empty || e
		}
		return true, empty
	case syntax.OpConcat:
		if first := re.Sub[0].Op; first == syntax.OpBeginText || first == syntax.OpBeginLine {
			return true, b.addAll(re.Sub[1:])
		}
		anchored, empty = b.addAnchored(re.Sub[0])
		if anchored && empty {
			empty = b.addAll(re.Sub[1:])
		}
		return anchored, empty
	}
	return re.Op == syntax.OpBeginText || re.Op == syntax.OpBeginLine, true
}

// addAll adds the first bytes of a sequence and reports whether it may match
// without a byte.
func (b *byteSet) addAll(subs []*syntax.Regexp) (empty bool) {
	for _, sub := range subs {
		if !b.add(sub) {
			return false
		}
	}
	return true
}

// add adds the bytes a match of re may begin with and reports whether it may
// match without a byte.
func (b *byteSet) add(re *syntax.Regexp) (empty bool) {
	switch re.Op {
	case syntax.OpLiteral:
		b.addRunes(re.Rune[0], re.Rune[0])
		if c := re.Rune[0]; re.Flags&syntax.FoldCase != 0 && c < utf8.RuneSelf && isLetter(byte(c)) {
			b[byte(c)^0x20] = true
		}
		return false
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			b.addRunes(re.Rune[i], re.Rune[i+1])
		}
		return false
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.addRunes(0, utf8.MaxRune)
		return false
	case syntax.OpCapture, syntax.OpPlus:
		return b.add(re.Sub[0])
	case syntax.OpStar, syntax.OpQuest:
		b.add(re.Sub[0])
		return true
	case syntax.OpRepeat:
		return b.add(re.Sub[0]) || re.Min == 0
	case syntax.OpConcat:
		return b.addAll(re.Sub)
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			empty = b.add(sub) || empty
		}
		return empty
	}
	return true // assertions
}

// addRunes adds the first bytes of a range of runes. Beyond ASCII that is
// every such byte: invalid ones are read as U+FFFD.
func (b *byteSet) addRunes(lo, hi rune) {
	for r := lo; r <= hi && r < utf8.RuneSelf; r++ {
		b[r] = true
	}
	if hi >= utf8.RuneSelf {
		for i := utf8.RuneSelf; i < len(b); i++ {
			b[i] = true
		}
	}
}

// selective reports whether a set tells most lines apart. Lines of text that
// begin beyond ASCII are few.
func (b *byteSet) selective() bool {
	n := 0
	for _, in := range b[:utf8.RuneSelf] {
		if in {
			n++
		}
	}
	return n <= 40
}

// anchors are the rules whose expression is anchored, by first byte.
type anchors [256][]*rule

func (a *anchors) add(r *rule, set byteSet) {
	for i, in := range set {
		if in {
			a[i] = append(a[i], r)
		}
	}
}

// anchorScan looks at the first byte of every line of a block, and only where
// an anchored rule may begin with it, for the rule's literals in the line.
type anchorScan struct {
	*anchors
	cr int // the next "\r" of the block; searched again when it is passed
}

func (s *anchorScan) find(block []byte, from int) int {
	if from == 0 {
		s.cr = -1
	}
	for pos := from; pos < len(block); {
		if s.cr < pos {
			s.cr = indexFrom(block, '\r', pos)
		}
		end := min(indexFrom(block, '\n', pos), s.cr)
		for _, r := range s.anchors[block[pos]] {
			if r.possible(block[pos:end]) {
				return pos
			}
		}
		pos = end + 1
	}
	return len(block)
}
