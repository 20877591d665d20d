package rawlog

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

func TestGzipRandomAccess(t *testing.T) {
	ls := newLogs(t, Config{})
	l := ls.Create(1, 1, KeepGzip)
	text := lines(180000) // 2.1 MB: three members
	check(t, l.Append(Stdout, []byte(text)))
	(&pump{l: l}).drain(t, 256<<10)
	live := open(t, ls, 1, 1)
	check(t, l.Finish())
	equal(t, "plain file is gone", exists(l.path(".stdout")), false)
	equal(t, "temporary file is gone", exists(l.path(".stdout.gz.tmp")), false)
	equal(t, "untouched stream has no file", exists(l.path(".stderr.gz")), false)
	zcat, err := exec.Command("zcat", l.path(".stdout.gz")).Output()
	check(t, err)
	equal(t, "zcat", string(zcat), text)
	for _, r := range []*Reader{live, open(t, ls, 1, 1)} {
		equal(t, "content", content(t, r, Stdout), text)
		rnd := rand.New(rand.NewPCG(1, 2))
		for range 8 {
			off := rnd.IntN(len(text))
			buf := make([]byte, rnd.IntN(200000))
			n, err := r.ReadAt(Stdout, buf, int64(off))
			equal(t, "bytes", string(buf[:n]), text[off:min(off+len(buf), len(text))])
			if (n < len(buf)) != (err == io.EOF) {
				t.Fatalf("%d of %d bytes at %d: %v", n, len(buf), off, err)
			}
		}
	}
}

// Reading near the end unpacks one member.
func TestGzipUnpacksWhatItNeeds(t *testing.T) {
	ls := newLogs(t, Config{})
	l := ls.Create(1, 1, KeepGzip)
	text := lines(180000)
	check(t, l.Append(Stdout, []byte(text)))
	check(t, l.Finish())
	path := l.path(".stdout.gz")
	b, err := os.ReadFile(path)
	check(t, err)
	clear(b[extraOffset+extraSize : 60000]) // spoils the first member
	check(t, os.WriteFile(path, b, 0o600))
	r := open(t, ls, 1, 1)
	buf := make([]byte, 100)
	n, err := r.ReadAt(Stdout, buf, int64(len(text)-100))
	check(t, err)
	equal(t, "tail", string(buf[:n]), text[len(text)-100:])
	if _, err := r.ReadAt(Stdout, buf, 0); err == nil {
		t.Fatal("spoiled member can be read")
	}
}

func TestGzipEmptyStream(t *testing.T) {
	ls := newLogs(t, Config{})
	l := ls.Create(1, 1, KeepGzip)
	run(t, l, "true")
	check(t, l.Finish())
	out, err := exec.Command("zcat", l.path(".stdout.gz")).Output()
	check(t, err)
	equal(t, "zcat", string(out), "")
	equal(t, "content", content(t, open(t, ls, 1, 1), Stdout), "")
	equal(t, "plain file is gone", exists(l.path(".stdout")), false)
	equal(t, "index", exists(l.path(".idx")), false)
}

// A crash between any two steps of the compression leaves a log that can be
// read, recovered and finished.
func TestGzipCrashPoints(t *testing.T) {
	text := lines(20000)
	points := map[string]func(t *testing.T, path string){
		"temporary file begun": func(t *testing.T, path string) {
			check(t, os.WriteFile(path+".gz.tmp", []byte("half a fi"), 0o600))
		},
		"temporary file complete": func(t *testing.T, path string) {
			check(t, os.WriteFile(path+".gz.tmp", packedText(t, text), 0o600))
		},
		"renamed": func(t *testing.T, path string) {
			check(t, os.WriteFile(path+".gz", packedText(t, text), 0o600))
		},
		"renamed, the plain file's data lost": func(t *testing.T, path string) {
			check(t, os.WriteFile(path+".gz", packedText(t, text), 0o600))
			check(t, os.Truncate(path, 0))
		},
		"removed": func(t *testing.T, path string) {
			check(t, os.WriteFile(path+".gz", packedText(t, text), 0o600))
			check(t, os.Remove(path))
		},
	}
	for name, crashed := range points {
		t.Run(name, func(t *testing.T) {
			ls := newLogs(t, Config{})
			l := ls.Create(1, 1, KeepGzip)
			check(t, l.Append(Stdout, []byte(text)))
			check(t, l.Append(Stderr, []byte("other\n")))
			p := &pump{l: l}
			p.drain(t, 64<<10)
			path := l.path(".stdout")
			ls = crash(t, ls)
			crashed(t, path)

			equal(t, "content before recovery", content(t, open(t, ls, 1, 1), Stdout), text)
			l = must[*Log](t)(ls.Recover(1, 1, KeepGzip, math.MaxInt64))
			q := &pump{l: l, seq: p.seq}
			equal(t, "unread", q.drain(t, 4096), 0)
			equal(t, "size", l.Size(Stdout), int64(len(text)))
			live := open(t, ls, 1, 1)
			equal(t, "content after recovery", content(t, live, Stdout), text)
			check(t, l.Finish())
			for _, r := range []*Reader{live, open(t, ls, 1, 1)} {
				equal(t, "content", content(t, r, Stdout), text)
				equal(t, "other", content(t, r, Stderr), "other\n")
				equal(t, "entries", len(must[[]Entry](t)(r.Entries(0, 0))) > 1, true)
			}
			files, err := os.ReadDir(ls.dir(1))
			check(t, err)
			equal(t, "files", len(files), 3)
		})
	}
}

func packedText(t *testing.T, text string) []byte {
	t.Helper()
	b := newHeap()
	check(t, b.write([]byte(text)))
	var out bytes.Buffer
	check(t, pack(&out, b, 0, Span{}, int64(len(text))))
	return out.Bytes()
}

// A foreign or damaged file is an error, never a panic.
func TestGzipCorrupt(t *testing.T) {
	good := packedText(t, lines(1000))
	var foreign bytes.Buffer
	z := gzip.NewWriter(&foreign)
	_, _ = z.Write([]byte("hello"))
	check(t, z.Close())
	for name, b := range map[string][]byte{
		"foreign": foreign.Bytes(), "short": good[:20], "cut": good[:len(good)-5], "text": []byte(strings.Repeat("x", 100)), "empty": nil,
	} {
		t.Run(name, func(t *testing.T) {
			path := t.TempDir() + "/x.gz"
			check(t, os.WriteFile(path, b, 0o600))
			if _, err := openGzip(path); !errors.Is(err, ErrCorrupt) {
				t.Fatalf("got %v", err)
			}
			ls := newLogs(t, Config{})
			l := ls.Create(1, 1, KeepGzip)
			run(t, l, "echo out; echo err >&2")
			check(t, l.Finish())
			check(t, os.WriteFile(l.path(".stdout.gz"), b, 0o600))
			r := open(t, ls, 1, 1)
			if _, err := r.ReadAt(Stdout, make([]byte, 1), 0); !errors.Is(err, ErrCorrupt) {
				t.Fatalf("got %v", err)
			}
			equal(t, "the other stream", content(t, r, Stderr), "err\n")
		})
	}
}

// Where compressing fails, the plain log stays.
func TestGzipFails(t *testing.T) {
	ls := newLogs(t, Config{})
	l := ls.Create(1, 1, KeepGzip)
	check(t, l.Append(Stdout, []byte("hello\n")))
	check(t, os.MkdirAll(l.path(".stdout.gz.tmp/in the way"), 0o700))
	if err := l.Finish(); err == nil {
		t.Fatal("no error")
	}
	equal(t, "content", content(t, open(t, ls, 1, 1), Stdout), "hello\n")
}
