//go:build linux

package docs_test

import (
	"slices"
	"strings"
	"testing"
)

// simpleCommands splits what a shell reads into commands and their words, as far
// as documents need it: quotes, comments, and what stands between commands.
func simpleCommands(text string) (all [][]string) {
	var words []string
	var word strings.Builder
	quote, begun := rune(0), false
	endWord := func() {
		if begun {
			words = append(words, word.String())
		}
		word.Reset()
		begun = false
	}
	endCommand := func() {
		endWord()
		if len(words) > 0 {
			all = append(all, words)
		}
		words = nil
	}
	comment := false
	for _, c := range strings.ReplaceAll(text, "\\\n", " ") {
		switch {
		case comment:
			if comment = c != '\n'; !comment {
				endCommand()
			}
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			quote, begun = c, true
		case c == '#' && !begun:
			comment = true
		case c == ' ' || c == '\t':
			endWord()
		case strings.ContainsRune("\n;|&()", c):
			endCommand()
		default:
			word.WriteRune(c)
			begun = true
		}
	}
	endCommand()
	return all
}

func TestSimpleCommands(t *testing.T) {
	got := simpleCommands("reeve run -- sh -c 'a; b' | wc # c\nmake \\\n x; R=$(reeve ps)")
	want := [][]string{{"reeve", "run", "--", "sh", "-c", "a; b"}, {"wc"}, {"make", "x"}, {"R=$"}, {"reeve", "ps"}}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%q", got)
	}
}
