package tui

import (
	"strconv"
	"strings"
)

// style is how a program has coloured its output: what remains of its escape
// sequences. It is read from them and written anew, so that nothing else of them
// can reach the terminal.
type style struct {
	attributes uint16 // a bit for each of 1 to 9
	fg, bg     string // the parameters of a colour; empty: the default
}

// apply changes the style as the parameters of an SGR sequence say. What it does
// not understand it leaves out.
func (s *style) apply(parameters string) {
	words := strings.Split(parameters, ";")
	codes := make([]int, len(words))
	for i, word := range words {
		word, _, _ = strings.Cut(word, ":") // 4:3 is a kind of underline
		n, err := strconv.Atoi(word)
		if err != nil && word != "" {
			return
		}
		codes[i] = n
	}
	for len(codes) > 0 {
		codes = codes[s.one(codes):]
	}
}

// one applies the first code and returns how many it took.
func (s *style) one(codes []int) int {
	switch n := codes[0]; {
	case n == 0:
		*s = style{}
	case n >= 1 && n <= 9:
		s.attributes |= 1 << n
	case n == 21 || n == 22:
		s.attributes &^= 1<<1 | 1<<2
	case n >= 23 && n <= 29:
		s.attributes &^= 1 << (n - 20)
	case n >= 30 && n <= 37, n >= 90 && n <= 97:
		s.fg = strconv.Itoa(n)
	case n >= 40 && n <= 47, n >= 100 && n <= 107:
		s.bg = strconv.Itoa(n)
	case n == 39:
		s.fg = ""
	case n == 49:
		s.bg = ""
	case n == 38 || n == 48 || n == 58:
		color, took := extended(codes)
		if n == 38 {
			s.fg = color
		} else if n == 48 {
			s.bg = color
		}
		return took
	}
	return 1
}

// extended reads a colour of 256 or of all.
func extended(codes []int) (color string, took int) {
	switch {
	case len(codes) >= 3 && codes[1] == 5:
		took = 3
	case len(codes) >= 5 && codes[1] == 2:
		took = 5
	default:
		return "", len(codes)
	}
	words := make([]string, took)
	for i, n := range codes[:took] {
		if n < 0 || n > 255 {
			return "", took
		}
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ";"), took
}

// String is the sequence that brings the style about, from none.
func (s style) String() string {
	if s == (style{}) {
		return ""
	}
	var codes []string
	for n := range 10 {
		if s.attributes&(1<<n) != 0 && n != 8 && n != 5 && n != 6 { // neither hidden nor blinking
			codes = append(codes, strconv.Itoa(n))
		}
	}
	for _, c := range []string{s.fg, s.bg} {
		if c != "" {
			codes = append(codes, c)
		}
	}
	if len(codes) == 0 {
		return ""
	}
	return "\x1b[" + strings.Join(codes, ";") + "m"
}
