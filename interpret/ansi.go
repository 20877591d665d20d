package interpret

import "strings"

const escape = '\x1b'

// stripANSI removes terminal escape sequences (ECMA-48: colours, cursor
// movement, titles, links), so that rules match what a person reads.
func stripANSI(s string) string {
	i := strings.IndexByte(s, escape)
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i >= 0 {
		b.WriteString(s[:i])
		s = s[i+sequenceLen(s[i:]):]
		i = strings.IndexByte(s, escape)
	}
	b.WriteString(s)
	return b.String()
}

// sequenceLen returns the length of the escape sequence at the start of s. An
// unfinished one reaches to the end.
func sequenceLen(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch c := s[1]; {
	case c == '[': // control sequence: parameters, then a final byte
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
		}
		return len(s)
	case strings.IndexByte("]PX^_", c) >= 0: // a string, ended by BEL or ESC \
		for i := 2; i < len(s); i++ {
			if s[i] == '\a' {
				return i + 1
			}
			if s[i] == escape {
				return min(i+2, len(s))
			}
		}
		return len(s)
	case c >= 0x20 && c <= 0x2f: // intermediate bytes, then a final one
		for i := 2; i < len(s); i++ {
			if s[i] > 0x2f {
				return i + 1
			}
		}
		return len(s)
	}
	return 2
}
