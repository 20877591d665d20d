package rawlog

import (
	"os"
	"strings"
	"testing"
)

func TestTruncatedByTheProgram(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"shorter", "a long first line\n", "x\n"},
		{"same length", "hello\n", "world\n"},
		{"longer", "a\n", "a much longer line\n"},
		{"longer with the same beginning", strings.Repeat("same ", 40) + "a\n", strings.Repeat("same ", 40) + "b\nmore\n"},
		{"large", lines(50000), lines(10)},
	} {
		for name, policy := range kept {
			t.Run(c.name+"/"+name, func(t *testing.T) { truncated(t, policy, c.before, c.after) })
		}
	}
}

func truncated(t *testing.T, policy Policy, before, after string) {
	ls := newLogs(t, Config{})
	l := ls.Create(1, 1, policy)
	p := &pump{l: l}
	check(t, os.WriteFile(t.TempDir()+"/after", []byte(after), 0o600))
	f := must[*os.File](t)(l.File(Stdout))
	_, err := f.WriteString(before)
	check(t, err)
	p.drain(t, 4096)
	same := strings.HasPrefix(after, before[:min(len(before), sampleSize)]) && len(after) >= len(before)
	c := shell(nil, f, `printf %s "$AFTER" > /dev/stdout; echo appended`)
	c.Env = []string{"AFTER=" + after, "PATH=" + os.Getenv("PATH")}
	check(t, c.Run())
	p.drain(t, 4096)
	if same {
		// Begins as before and is no shorter: it counts as overwritten.
		equal(t, "warnings", p.warned, 0)
		check(t, l.Finish())
		return
	}
	n := int64(len(before))
	equal(t, "read", p.read[Stdout].String(), before+after+"appended\n")
	equal(t, "warnings", p.warned, 1)
	wantHole := func(r *Reader) {
		t.Helper()
		equal(t, "size", r.Size(Stdout), n+int64(len(after)+9))
		equal(t, "holes", len(r.Holes(Stdout)), 1)
		equal(t, "hole", r.Holes(Stdout)[0], Span{0, n})
		equal(t, "content", content(t, r, Stdout), Marker(n)+after+"appended\n")
		buf := make([]byte, 3)
		got, err := r.ReadAt(Stdout, buf, n+int64(len(after)))
		equal(t, "read after", got, 3)
		check(t, err)
		equal(t, "bytes", string(buf), "app")
	}
	wantHole(open(t, ls, 1, 1))
	check(t, l.Finish())
	wantHole(open(t, ls, 1, 1))
}

// Lines shown one after another through a re-opened stream are all seen, if
// they come slowly enough.
func TestTruncatedAgainAndAgain(t *testing.T) {
	ls := newLogs(t, Config{})
	l := ls.Create(1, 1, KeepFile)
	f := must[*os.File](t)(l.File(Stdout))
	p := &pump{l: l}
	var want strings.Builder
	for _, w := range []string{"one", "two", "three", "four", "five", "six"} {
		check(t, shell(nil, f, "echo "+w+" > /dev/stdout").Run())
		want.WriteString(w + "\n")
		p.drain(t, 100)
	}
	equal(t, "read", p.read[Stdout].String(), want.String())
	check(t, l.Finish())
	equal(t, "content", content(t, open(t, ls, 1, 1), Stdout), Marker(24)+"six\n")
}

// Truncation wakes the pump as a write does.
func TestTruncationWakes(t *testing.T) {
	ls := newLogs(t, Config{})
	l := ls.Create(1, 1, KeepFile)
	p := &pump{l: l}
	run(t, l, "echo hello")
	p.drain(t, 100)
	equal(t, "ready", l.Arm(), false)
	done := make(chan struct{})
	close(done)
	run(t, l, ": > /dev/stdout")
	<-l.Wake()
	equal(t, "ready", l.Arm(), true)
	p.follow(t, 100, done)
	equal(t, "warned", p.warned, 1)
	check(t, l.Finish())
}

// A writer that overwrites in place does no harm.
func TestOverwritten(t *testing.T) {
	ls := newLogs(t, Config{})
	l := ls.Create(1, 1, KeepFile)
	text := lines(100)
	check(t, l.Append(Stdout, []byte(text)))
	p := &pump{l: l}
	p.drain(t, 4096)
	f := must[*os.File](t)(os.OpenFile(l.path(".stdout"), os.O_WRONLY, 0))
	_, err := f.WriteAt([]byte("XXXXX"), int64(len(text)-20))
	check(t, err)
	check(t, f.Close())
	check(t, l.Append(Stdout, []byte("more\n")))
	p.drain(t, 4096)
	p.drain(t, 4096)
	equal(t, "read", p.read[Stdout].String(), text+"more\n")
	equal(t, "warned", p.warned, 0)
	check(t, l.Finish())
}
