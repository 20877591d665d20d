package interpret

import (
	"strings"
	"unicode/utf8"
)

// Text decodes a line's bytes: valid UTF-8 as it is, each maximal invalid
// part as one U+FFFD (the practice Unicode recommends, chapter 3.9).
func Text(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var s strings.Builder
	s.Grow(len(b) + 8)
	for len(b) > 0 {
		n := validPrefix(b)
		s.Write(b[:n])
		b = b[n:]
		if len(b) > 0 {
			s.WriteRune(utf8.RuneError)
			b = b[invalidPart(b):]
		}
	}
	return s.String()
}

func validPrefix(b []byte) (n int) {
	for n < len(b) {
		r, size := utf8.DecodeRune(b[n:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		n += size
	}
	return n
}

// invalidPart returns the length of the maximal invalid part at the start of
// b: the longest prefix of a valid sequence, or a single byte.
func invalidPart(b []byte) int {
	need, lo, hi := lead(b[0])
	n := 1
	for n < need && n < len(b) && b[n] >= lo && b[n] <= hi {
		lo, hi = 0x80, 0xBF
		n++
	}
	return n
}

// lead returns the length of the sequence a lead byte opens and the range of
// its second byte (Unicode table 3-7); 1 for a byte that opens none.
func lead(b byte) (need int, lo, hi byte) {
	switch {
	case b == 0xE0:
		return 3, 0xA0, 0xBF
	case b == 0xED:
		return 3, 0x80, 0x9F
	case b == 0xF0:
		return 4, 0x90, 0xBF
	case b == 0xF4:
		return 4, 0x80, 0x8F
	case b >= 0xC2 && b <= 0xDF:
		return 2, 0x80, 0xBF
	case b >= 0xE1 && b <= 0xEF:
		return 3, 0x80, 0xBF
	case b >= 0xF1 && b <= 0xF3:
		return 4, 0x80, 0xBF
	}
	return 1, 0, 0
}
