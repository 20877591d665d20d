package interpret

import "strings"

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// isWord counts every byte of a multi-byte rune as part of a word.
func isWord(c byte) bool { return isDigit(c) || isLetter(c) || c == '_' || c >= 0x80 }

func wordAt(s string, i int) bool { return i < len(s) && isWord(s[i]) }

// lastWord returns the word a text ends in, in lower case, spaces and a colon
// aside.
func lastWord(s string) string {
	s = strings.TrimRight(s, " :")
	i := len(s)
	for i > 0 && isWord(s[i-1]) {
		i--
	}
	return strings.ToLower(s[i:])
}

// firstWord returns the word a text begins with, in lower case, spaces and a
// colon aside.
func firstWord(s string) string {
	s = strings.TrimLeft(s, " :")
	i := 0
	for wordAt(s, i) {
		i++
	}
	return strings.ToLower(s[:i])
}

// listed reports whether a word is in a list of words between spaces.
func listed(list, word string) bool {
	return word != "" && strings.Contains(list, " "+word+" ")
}

// wordSet makes a set of the words of a text.
func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// containsWord reports whether any word of a text, of ASCII letters in any
// case and at most 16 of them, is in a set.
func containsWord(s string, set map[string]bool) bool {
	var word [16]byte
	n := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && isLetter(s[i]) {
			if n < len(word) {
				word[n] = s[i] | 0x20
			}
			n++
			continue
		}
		if n > 1 && n <= len(word) && set[string(word[:n])] {
			return true
		}
		n = 0
	}
	return false
}
