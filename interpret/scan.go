package interpret

import (
	"bytes"
	"strings"
)

// finder finds the first place in a block, at or after from, where a line of
// interest may be; len(block) if there is none. It never misses one.
type finder interface {
	find(block []byte, from int) int
}

// scan looks for several things at once. It remembers where each was found
// last, so that each is searched for once per block however many lines are
// of interest.
type scan struct {
	every   bool // every line is of interest
	finders []finder
	next    []int
}

func (s *scan) first(block []byte, from int) int {
	if s.every {
		return from
	}
	if s.next == nil {
		s.next = make([]int, len(s.finders))
	}
	best := len(block)
	for i, f := range s.finders {
		if from == 0 || s.next[i] < from {
			s.next[i] = f.find(block, from)
		}
		best = min(best, s.next[i])
	}
	return best
}

// search finds a literal in a block by its rarest byte: that is found at
// memory speed, and the rest is compared only there.
type search struct {
	literal
	at        int  // index of the rarest byte
	rare, alt byte // it, and its upper case if the case is folded
}

// common lists bytes from the most frequent in logs to the less so; what is
// not in it is rare.
const common = " etaonisr0l1dcu2pm-.3g:/5f4hb=_\"y6879,TvwkEIAxNSOR()D[]{}CMLP"

func newSearch(l literal) search {
	s := search{literal: l}
	best := -1
	for i := range len(s.text) {
		if r := rarity(s.text[i], l.fold); r > best {
			best, s.at = r, i
		}
	}
	s.rare = s.text[s.at]
	s.alt = s.rare
	if l.fold {
		s.alt = strings.ToUpper(s.text)[s.at]
	}
	return s
}

func rarity(b byte, fold bool) int {
	r := strings.IndexByte(common, b)
	if r < 0 {
		r = len(common)
	}
	if fold && b >= 'a' && b <= 'z' { // searched for twice
		r /= 2
	}
	return r
}

// find returns the offset of the first occurrence at or after from, len(block)
// if there is none.
func (s search) find(block []byte, from int) int {
	low, up := -1, len(block)
	if s.alt != s.rare {
		up = -1
	}
	for i := from + s.at; i < len(block); i++ {
		if low < i {
			low = indexFrom(block, s.rare, i)
		}
		if up < i {
			up = indexFrom(block, s.alt, i)
		}
		if i = min(low, up); i == len(block) {
			break
		}
		if s.matches(block[i-s.at:]) {
			return i - s.at
		}
	}
	return len(block)
}

func (s search) matches(b []byte) bool {
	if len(b) < len(s.text) {
		return false
	}
	b = b[:len(s.text)]
	if s.fold {
		return strings.EqualFold(string(b), s.text)
	}
	return string(b) == s.text
}

// in reports whether a line contains the literal.
func (s search) in(line string) bool {
	if !s.fold {
		return strings.Contains(line, s.text)
	}
	return s.find([]byte(line), 0) < len(line)
}

func indexFrom(block []byte, b byte, from int) int {
	if i := bytes.IndexByte(block[from:], b); i >= 0 {
		return from + i
	}
	return len(block)
}
