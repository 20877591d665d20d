package tool

import "unicode/utf8"

// validEnd reports whether s does not end within a character.
func validEnd(s string) bool {
	r, size := utf8.DecodeLastRuneInString(s)
	return r != utf8.RuneError || size != 1
}
