package interpret

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func contents(block []byte, spans []Span) []string {
	out := []string{}
	for _, s := range spans {
		out = append(out, string(block[s.Start:s.End]))
	}
	return out
}

func TestSplit(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		eof      bool
		want     []string
		rest     int
	}{
		{"empty", "", false, []string{}, 0},
		{"empty at the end", "", true, []string{}, 0},
		{"newline", "a\nb\n", false, []string{"a", "b"}, 4},
		{"blank lines", "\n\n", false, []string{"", ""}, 2},
		{"remainder kept", "a\nb", false, []string{"a"}, 2},
		{"remainder at the end", "a\nb", true, []string{"a", "b"}, 3},
		{"no line after the last terminator", "a\n", true, []string{"a"}, 2},
		{"carriage return and newline", "a\r\nb\r\n", false, []string{"a", "b"}, 6},
		{"progress bar", "10%\r20%\r", false, []string{"10%", "20%"}, 8},
		{"return ends at once", "10%\r2", false, []string{"10%"}, 4},
		{"two returns", "a\r\r\nb\n", false, []string{"a", "", "b"}, 6},
		{"newline before return", "a\n\rb\n", false, []string{"a", "", "b"}, 5},
		{"mixed", "a\rb\nc\r\nd\re", true, []string{"a", "b", "c", "d", "e"}, 10},
		{"limit met", "12345678\n", false, []string{"12345678"}, 9},
		{"limit met, undecided", "12345678", false, []string{}, 0},
		{"limit met at the end", "12345678", true, []string{"12345678"}, 8},
		{"pieces", "123456789\nx\n", false, []string{"12345678", "9", "x"}, 12},
		{"two full pieces", "1234567812345678\n", false, []string{"12345678", "12345678"}, 17},
		{"two full pieces, return", "1234567812345678\r\nx", false, []string{"12345678", "12345678"}, 18},
		{"rune of two kept whole", "1234567éx\n", false, []string{"1234567", "éx"}, 11},
		{"rune of three kept whole", "123456€\n", false, []string{"123456", "€"}, 10},
		{"rune of four kept whole", "12345😀😀\n", false, []string{"12345", "😀😀"}, 14},
		{"rune still arriving", "1234567\xf0\x9f", false, []string{}, 0},
		{"rune never completed", "1234567\xf0\x9f", true, []string{"1234567\xf0", "\x9f"}, 9},
		{"rune broken", "1234567\xf0\x9fabc\n", false, []string{"1234567\xf0", "\x9fabc"}, 13},
		{"continuation bytes only", strings.Repeat("\x80", 10) + "\n", false,
			[]string{strings.Repeat("\x80", 8), "\x80\x80"}, 11},
		{"replacement character itself", "123456\uFFFDx\n", false, []string{"123456", "\uFFFDx"}, 11},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := Splitter{Max: 8}
			spans, rest := s.Split([]byte(tc.in), nil, tc.eof)
			if got := contents([]byte(tc.in), spans); !slices.Equal(got, tc.want) || rest != tc.rest {
				t.Errorf("got %q rest %d, want %q rest %d", got, rest, tc.want, tc.rest)
			}
		})
	}
}

func TestSplitSwallowsNewlineOfNextBlock(t *testing.T) {
	var s Splitter
	a, rest := s.Split([]byte("a\r"), nil, false)
	if len(a) != 1 || rest != 2 || !s.AfterCR {
		t.Fatalf("%v %d %v", a, rest, s.AfterCR)
	}
	b, rest := s.Split([]byte("\nb\n\n"), nil, false)
	want := []Span{{1, 2, 3}, {3, 3, 4}}
	if !slices.Equal(b, want) || rest != 4 || s.AfterCR {
		t.Fatalf("%v %d %v", b, rest, s.AfterCR)
	}
	s.AfterCR = true
	if b, rest = s.Split([]byte("\n"), nil, true); len(b) != 0 || rest != 1 {
		t.Fatalf("a swallowed newline became a line: %v %d", b, rest)
	}
	s.AfterCR = true
	if b, _ = s.Split([]byte("x"), nil, false); len(b) != 0 {
		t.Fatalf("%v", b)
	}
	if b, _ = s.Split([]byte("x\n"), nil, false); !slices.Equal(b, []Span{{0, 1, 2}}) {
		t.Fatalf("%v", b)
	}
}

func TestMaxLineIsTheDefault(t *testing.T) {
	block := bytes.Repeat([]byte{'x'}, 2*MaxLine+1)
	var s Splitter
	spans, rest := s.Split(block, nil, false)
	if len(spans) != 2 || spans[0].End != MaxLine || rest != 2*MaxLine {
		t.Fatalf("%v %d", spans, rest)
	}
}

// checkStream holds every promise of the Splitter about one stream.
func checkStream(t *testing.T, in []byte, limit int, rng *rand.Rand) {
	t.Helper()
	whole := Splitter{Max: limit}
	want, rest := whole.Split(in, nil, true)
	if rest != len(in) {
		t.Fatalf("rest %d of %d at the end", rest, len(in))
	}
	checkCover(t, in, want, limit)
	checkReplay(t, in, want, limit, rng)

	for _, count := range []bool{false, true} {
		got := splitInChunks(in, limit, rng, count)
		if !slices.Equal(got, want) {
			t.Fatalf("count %v, in chunks: %v\nas one block: %v\nof %q", count, got, want, in)
		}
	}
}

// checkCover asserts that no byte is lost and that terminators are such.
func checkCover(t *testing.T, in []byte, spans []Span, limit int) {
	t.Helper()
	pos := 0
	for _, s := range spans {
		if s.Start != pos || s.End-s.Start > limit {
			t.Fatalf("span %v at %d", s, pos)
		}
		switch term := string(in[s.End:s.Next]); {
		case term == "\n", term == "\r", term == "\r\n":
		case term == "" && s.Next == len(in):
		case term == "" && s.End-s.Start > limit-4:
			if r, n := utf8.DecodeLastRune(in[:s.End+1]); s.End+1 < len(in) && n > 1 && r != utf8.RuneError {
				t.Fatalf("%v cuts %q", s, r)
			}
		default:
			t.Fatalf("span %v is followed by %q", s, term)
		}
		if bytes.ContainsAny(in[s.Start:s.End], "\r\n") {
			t.Fatalf("terminator inside %q", in[s.Start:s.End])
		}
		pos = s.Next
	}
	if pos != len(in) {
		t.Fatalf("%d of %d bytes covered", pos, len(in))
	}
}

// checkReplay asserts that any run of lines splits the same by itself.
func checkReplay(t *testing.T, in []byte, spans []Span, limit int, rng *rand.Rand) {
	t.Helper()
	if len(spans) == 0 {
		return
	}
	i := rng.IntN(len(spans))
	j := i + rng.IntN(len(spans)-i)
	base := spans[i].Start
	s := Splitter{Max: limit}
	got, _ := s.Split(in[base:spans[j].Next], nil, true)
	if len(got) != j-i+1 {
		t.Fatalf("lines %d..%d replay as %d lines", i, j, len(got))
	}
	for k, g := range got {
		w := spans[i+k]
		if g.Start+base != w.Start || g.End+base != w.End {
			t.Fatalf("line %d replays as %v, was %v", i+k, g, w)
		}
	}
}

// splitInChunks feeds a stream in random chunks, as a reader of a growing
// file would, by Split or by Count. Spans are brought to the form they have
// in one block: a swallowed newline belongs to the terminator before it.
func splitInChunks(in []byte, limit int, rng *rand.Rand, count bool) (all []Span) {
	s := Splitter{Max: limit}
	pos, have := 0, 0
	for {
		have = min(len(in), have+1+rng.IntN(2*limit))
		eof := have == len(in)
		block := in[pos:have]
		peek := s
		spans, rest := s.Split(block, nil, eof)
		if count {
			n, first, r := peek.Count(block, eof)
			if n != len(spans) || r != rest || peek != s || (n > 0 && first != spans[0].Start) {
				panic(fmt.Sprintf("Count %d %d %d, Split %v %d of %q", n, first, r, spans, rest, block))
			}
		}
		if len(all) > 0 && len(block) > 0 && rest > 0 && in[pos] == '\n' && in[pos-1] == '\r' {
			all[len(all)-1].Next++
		}
		for _, sp := range spans {
			all = append(all, Span{sp.Start + pos, sp.End + pos, sp.Next + pos})
		}
		pos += rest
		if eof {
			return all
		}
	}
}

func TestSplitRandomStreams(t *testing.T) {
	parts := []string{"a", "bc", "\n", "\r", "\r\n", "é", "€", "😀", "\xff", "\xf0\x9f", "\x80", "0123456789"}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var in []byte
		for range rng.IntN(40) {
			in = append(in, parts[rng.IntN(len(parts))]...)
		}
		checkStream(t, in, 4+rng.IntN(12), rng)
	}
}

func FuzzSplit(f *testing.F) {
	f.Add([]byte("a\r\nb\rc\n\n12345678😀"), uint64(1))
	f.Add([]byte("\r\r\n\n\r"), uint64(2))
	f.Fuzz(func(t *testing.T, in []byte, seed uint64) {
		checkStream(t, in, 8, rand.New(rand.NewPCG(seed, 0)))
	})
}

func logBlock(size int) []byte {
	line := []byte("2026-01-02T03:04:05.678Z INFO component=worker request served status=200 path=index took=12ms user=abc\n")[:100]
	line[99] = '\n'
	return bytes.Repeat(line, size/100)
}

func BenchmarkSplit(b *testing.B) {
	block := logBlock(256 << 10)
	spans := make([]Span, 0, 4096)
	b.SetBytes(int64(len(block)))
	for b.Loop() {
		var s Splitter
		spans, _ = s.Split(block, spans[:0], false)
	}
}

func BenchmarkCount(b *testing.B) {
	block := logBlock(256 << 10)
	b.SetBytes(int64(len(block)))
	for b.Loop() {
		var s Splitter
		s.Count(block, false)
	}
}
