package rawlog

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if n := os.Getenv("RAWLOG_WRITE"); n != "" {
		writeLines(n)
		return
	}
	goleak.VerifyTestMain(m)
}

func newLogs(t testing.TB, c Config) *Logs {
	t.Helper()
	if c.Dir == "" {
		c.Dir = filepath.Join(t.TempDir(), "logs")
	}
	ls, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { check(t, ls.Close()) })
	return ls
}

func check(t tb, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func must[T any](t tb) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		check(t, err)
		return v
	}
}

// start starts a shell whose streams go to the log.
func start(t testing.TB, l *Log, script string) *exec.Cmd {
	t.Helper()
	c := exec.Command("sh", "-c", script)
	c.Stdout, c.Stderr = must[*os.File](t)(l.File(Stdout)), must[*os.File](t)(l.File(Stderr))
	check(t, c.Start())
	return c
}

func run(t testing.TB, l *Log, script string) {
	t.Helper()
	check(t, start(t, l, script).Wait())
}

func open(t testing.TB, ls *Logs, id int64, run int) *Reader {
	t.Helper()
	r := must[*Reader](t)(ls.Open(id, run))
	t.Cleanup(func() { check(t, r.Close()) })
	return r
}

func content(t tb, r *Reader, s Stream) string {
	t.Helper()
	var b bytes.Buffer
	n, err := r.Copy(&b, s, 0, -1)
	check(t, err)
	if n != int64(b.Len()) {
		t.Fatalf("Copy returned %d, wrote %d", n, b.Len())
	}
	return b.String()
}

func equal[T comparable](t tb, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: got %.300v, want %.300v", what, got, want)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func lines(n int) string {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "line %06d\n", i)
	}
	return b.String()
}

// chunkPolicies are those under which something can be read afterwards.
var kept = map[string]Policy{"file": KeepFile, "gzip": KeepGzip, "memory": KeepMemory}

func shell(in, out *os.File, script string) *exec.Cmd {
	c := exec.Command("sh", "-c", script)
	c.Stdin, c.Stdout = in, out
	return c
}

// tb is what testing.TB and rapid.T have in common.
type tb interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}
