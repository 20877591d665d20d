package interpret

import (
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":                          "",
		"plain":                     "plain",
		"é€😀":                       "é€😀",
		"\xff":                      "\uFFFD",
		"a\xffb":                    "a\uFFFDb",
		"\xff\xff":                  "\uFFFD\uFFFD",
		"\x80\x80":                  "\uFFFD\uFFFD",
		"\xf0\x9f\x98":              "\uFFFD",             // one truncated sequence
		"\xf0\x9f\x98x":             "\uFFFDx",            // the same, followed
		"\xe2\x82":                  "\uFFFD",             // truncated
		"\xc0\xaf":                  "\uFFFD\uFFFD",       // overlong: no such lead
		"\xe0\x80\x80":              "\uFFFD\uFFFD\uFFFD", // overlong second byte
		"\xed\xa0\x80":              "\uFFFD\uFFFD\uFFFD", // surrogate
		"\xf4\x90\x80\x80":          "\uFFFD\uFFFD\uFFFD\uFFFD",
		"\xf5\x80":                  "\uFFFD\uFFFD",
		"\xf1\x80\x80\xe1\x80\xc2b": "\uFFFD\uFFFD\uFFFDb", // Unicode table 3-8
		"\uFFFD":                    "\uFFFD",
	} {
		if got := Text([]byte(in)); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add([]byte("a\xf0\x9f\x98b\xff€"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got := Text(b)
		if !utf8.ValidString(got) {
			t.Fatalf("%q decodes to invalid %q", b, got)
		}
		if utf8.Valid(b) && got != string(b) {
			t.Fatalf("%q changed to %q", b, got)
		}
		if Text([]byte(got)) != got {
			t.Fatalf("not stable: %q", got)
		}
	})
}
