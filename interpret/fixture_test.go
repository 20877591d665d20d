package interpret

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/process"
)

var update = flag.Bool("update", false, "rewrite the golden files of testdata")

// fixture is what a tool really printed: see testdata/README.md.
type fixture struct {
	exit   int
	chunks []chunk
}

type chunk struct {
	stream process.Stream
	data   []byte
}

var chunkHead = regexp.MustCompile(`^-- (stdout|stderr) (\d+) --\n`)

func readFixture(t testing.TB, file string) (f fixture) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for bytes.HasPrefix(data, []byte("#")) {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		if n, ok := bytes.CutPrefix(line, []byte("# exit ")); ok {
			f.exit, _ = strconv.Atoi(string(n))
		}
		data = rest
	}
	for len(data) > 0 {
		m := chunkHead.FindSubmatch(data)
		if m == nil {
			t.Fatalf("%s: no chunk at %.40q", file, data)
		}
		n, _ := strconv.Atoi(string(m[2]))
		data = data[len(m[0]):]
		f.chunks = append(f.chunks, chunk{process.Stream(m[1]), data[:n]})
		data = data[n+1:]
	}
	return f
}

// replay drives a session as the kernel does: a splitter per stream, blocks
// that end anywhere, the rest carried over.
func (f fixture) replay(s *Session) (out []process.Payload) {
	var split [2]Splitter
	var rest [2][]byte
	feed := func(stream process.Stream, data []byte, eof bool) {
		i := streamIndex(stream)
		block := append(rest[i], data...)
		spans, n := split[i].Split(block, nil, eof)
		s.Block(stream, block, spans, func(_ int, p process.Payload) { out = append(out, p) })
		rest[i] = append([]byte(nil), block[n:]...)
	}
	for _, c := range f.chunks {
		feed(c.stream, c.data, false)
	}
	feed(process.Stdout, nil, true)
	feed(process.Stderr, nil, true)
	return append(out, s.Exit(process.Exit{Code: f.exit})...)
}

func fixedSession(i Interpreter) *Session {
	return NewSession(i, Options{Now: func() time.Time { return epoch }})
}

// golden writes payloads as events are stored, one a line.
func golden(t testing.TB, ps []process.Payload) string {
	t.Helper()
	var b strings.Builder
	for _, p := range ps {
		body, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(body), `,"at":"2026-01-02T03:04:05Z"`, "")
		for esc, plain := range map[string]string{`\u003c`: "<", `\u003e`: ">", `\u0026`: "&"} {
			text = strings.ReplaceAll(text, esc, plain)
		}
		fmt.Fprintf(&b, "%s %s\n", process.New(p).Kind, text)
	}
	return b.String()
}

func TestFixtures(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txt")
	if err != nil || len(files) < 60 {
		t.Fatalf("%d fixtures, %v", len(files), err)
	}
	for _, file := range files {
		tool := filepath.Base(filepath.Dir(file))
		t.Run(tool+"/"+strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			f := readFixture(t, file)
			got := f.replay(fixedSession(mustBuiltin(t, tool)))
			checkInvariants(t, tool, f, got)
			checkGolden(t, strings.TrimSuffix(file, ".txt")+".golden", golden(t, got))

			every := everyLine{mustBuiltin(t, tool).(PartialInterpreter)}
			if slow := golden(t, f.replay(fixedSession(every))); slow != golden(t, got) {
				t.Errorf("without the filter:\n%s", slow)
			}
		})
	}
}

func checkGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s: got\n%swant\n%s", file, got, want)
	}
}

// checkInvariants holds what is true of every run: phases are balanced, a
// failure is explained, a success is not an error, and nothing was wrong
// with the interpreter.
func checkInvariants(t *testing.T, tool string, f fixture, ps []process.Payload) {
	t.Helper()
	var stack []int
	known := 0
	for _, p := range ps {
		switch p := p.(type) {
		case process.PhaseEntered:
			stack = append(stack, p.ID)
		case process.PhaseExited:
			if len(stack) == 0 || stack[len(stack)-1] != p.ID {
				t.Errorf("phase %d exited, open are %v", p.ID, stack)
			}
			stack = stack[:max(0, len(stack)-1)]
		case process.KnownErrorDetected:
			known++
			if p.Code == "" || p.Message == "" {
				t.Errorf("%+v", p)
			}
		case process.InterpreterError:
			t.Errorf("%+v", p)
		}
	}
	if len(stack) > 0 {
		t.Errorf("phases %v are left open", stack)
	}
	if generic := tool == "generic"; !generic && (known > 0) != (f.exit != 0) || generic && known > 0 {
		t.Errorf("exit %d with %d known errors", f.exit, known)
	}
}
