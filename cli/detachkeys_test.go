package cli

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDetachKeys(t *testing.T) {
	for _, c := range []struct{ keys, in, typed, rest string }{
		{"ctrl-]", "abc", "abc", ""},
		{"ctrl-]", "ab\x1dcd", "ab", "left"},
		{"ctrl-p,ctrl-q", "a\x10b", "a\x10b", ""},
		{"ctrl-p,ctrl-q", "\x10\x10\x11", "\x10", "left"},
		{"ctrl-p,ctrl-q", "a\x10", "a", ""}, // held back
		{"a,a,b", "aaab", "a", "left"},
		{"a,b,a,c", "ababac", "ab", "left"},
		{"none", "\x1d\x10\x11", "\x1d\x10\x11", ""},
		{"CTRL-A,x", "\x01x", "", "left"},
	} {
		d, err := parseDetachKeys(c.keys)
		if err != nil {
			t.Fatal(err)
		}
		typed, leave := d.take([]byte(c.in))
		if string(typed) != c.typed || leave != (c.rest == "left") {
			t.Errorf("%s, %q: typed %q, leave %v", c.keys, c.in, typed, leave)
		}
	}
	for _, bad := range []string{"", "ctrl-", "ctrl-1", "ab", "ctrl-a,", " ", "ü", "alt-x"} {
		if _, err := parseDetachKeys(bad); err == nil {
			t.Errorf("%q is no key", bad)
		}
	}
}

// However what is typed is cut into pieces, the same is typed before the keys.
func TestDetachKeysInPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SampledFrom([]string{"a", "b"})
		keys := rapid.SliceOfN(letters, 1, 4).Draw(t, "keys")
		in := strings.Join(rapid.SliceOf(letters).Draw(t, "in"), "")
		d, err := parseDetachKeys(strings.Join(keys, ","))
		if err != nil {
			t.Fatal(err)
		}
		sequence := strings.Join(keys, "")
		want, _, leaves := strings.Cut(in, sequence)
		var typed []byte
		left := false
		for piece := range slices.Chunk([]byte(in), rapid.IntRange(1, 5).Draw(t, "size")) {
			b, leave := d.take(piece)
			if typed = append(typed, b...); leave {
				left = true
				break
			}
		}
		if !leaves {
			typed = append(typed, d.sequence[:d.matched]...)
		}
		if left != leaves || string(typed) != want {
			t.Fatalf("%q in %q: typed %q, left %v; want %q, %v", sequence, in, typed, left, want, leaves)
		}
	})
}
