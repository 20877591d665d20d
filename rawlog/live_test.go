package rawlog

import (
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestChildWritesWeRead(t *testing.T) {
	all := map[string]Policy{"nothing": KeepNothing}
	for n, p := range kept {
		all[n] = p
	}
	for name, policy := range all {
		t.Run(name, func(t *testing.T) {
			ls := newLogs(t, Config{})
			l := ls.Create(7, 1, policy)
			p := followed(t, l, `for i in 1 2 3; do echo out $i; echo err $i >&2; done; printf partial`)
			equal(t, "stdout", p.read[Stdout].String(), "out 1\nout 2\nout 3\npartial")
			equal(t, "stderr", p.read[Stderr].String(), "err 1\nerr 2\nerr 3\n")
			check(t, l.Finish())
			check(t, l.Finish())
			equal(t, "size", l.Size(Stdout), 25)
			r, err := ls.Open(7, 1)
			if policy == KeepNothing {
				if !errors.Is(err, ErrNotKept) {
					t.Fatalf("got %v, want ErrNotKept", err)
				}
				return
			}
			check(t, err)
			defer r.Close()
			equal(t, "kept stdout", content(t, r, Stdout), "out 1\nout 2\nout 3\npartial")
			equal(t, "kept stderr", content(t, r, Stderr), "err 1\nerr 2\nerr 3\n")
			es := must[[]Entry](t)(r.Entries(0, 0))
			var n int
			for _, e := range es {
				n += e.Count
			}
			equal(t, "indexed lines", n, 6)
		})
	}
}

// Each line is written only when the one before it was read: nothing but a
// wake can carry this to its end.
func TestEveryWriteWakes(t *testing.T) {
	for name, policy := range map[string]Policy{"file": KeepFile, "memory": KeepMemory, "nothing": KeepNothing} {
		t.Run(name, func(t *testing.T) { pingPong(t, newLogs(t, Config{}), policy) })
	}
}

func pingPong(t *testing.T, ls *Logs, policy Policy) {
	t.Helper()
	l := ls.Create(1, 1, policy)
	in, out, err := os.Pipe()
	check(t, err)
	defer in.Close()
	f := must[*os.File](t)(l.File(Stdout))
	c := shell(in, f, `while read x; do echo got $x; done`)
	check(t, c.Start())
	buf := make([]byte, 100)
	for range 20 {
		if l.Arm() {
			t.Fatal("ready before anything was written")
		}
		_, err := out.WriteString("x\n")
		check(t, err)
		n := 0
		for n == 0 {
			select {
			case <-l.Wake():
			case <-time.After(5 * time.Second):
				t.Fatal("no wake")
			}
			n, _, err = l.Read(Stdout, buf)
			check(t, err)
			if n == 0 && l.Arm() {
				l.signal()
			}
		}
		equal(t, "read", string(buf[:n]), "got x\n")
	}
	check(t, out.Close())
	check(t, c.Wait())
	check(t, l.Finish())
}

func TestAppendIsConcurrent(t *testing.T) {
	for name, policy := range kept {
		t.Run(name, func(t *testing.T) {
			ls := newLogs(t, Config{})
			l := ls.Create(1, 1, policy)
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					for range 100 {
						if err := l.Append(Stdout, []byte("0123456789\n")); err != nil {
							t.Error(err)
						}
					}
				})
			}
			done := make(chan struct{})
			go func() { defer close(done); wg.Wait() }()
			p := &pump{l: l}
			p.follow(t, 1<<10, done)
			equal(t, "read", p.read[Stdout].String(), strings.Repeat("0123456789\n", 800))
			check(t, l.Finish())
			equal(t, "kept", content(t, open(t, ls, 1, 1), Stdout), strings.Repeat("0123456789\n", 800))
			if err := l.Append(Stdout, []byte("x")); !errors.Is(err, ErrFinished) {
				t.Fatalf("append after finish: %v", err)
			}
			if _, err := l.File(Stderr); !errors.Is(err, ErrFinished) {
				t.Fatalf("file after finish: %v", err)
			}
		})
	}
}

// Readers of a live log see all that was indexed, at once.
func TestReadersOfALiveLog(t *testing.T) {
	for name, policy := range kept {
		t.Run(name, func(t *testing.T) {
			ls := newLogs(t, Config{Cap: 64 << 10, MemoryCap: 64 << 10})
			l := ls.Create(1, 1, policy)
			text := lines(20000) // 240 kB: over the cap
			stop := make(chan struct{})
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() { replayUntil(t, ls, stop, text) })
			}
			p := &pump{l: l}
			for i := 0; i < len(text); i += 1200 {
				check(t, l.Append(Stdout, []byte(text[i:min(i+1200, len(text))])))
				p.drain(t, 4<<10)
			}
			check(t, l.Finish())
			close(stop)
			wg.Wait()
		})
	}
}

func replayUntil(t *testing.T, ls *Logs, stop <-chan struct{}, text string) {
	r, err := ls.Open(1, 1)
	if err != nil {
		t.Error(err)
		return
	}
	defer r.Close()
	buf := make([]byte, 8<<10)
	for last := false; ; {
		es, err := r.Entries(0, 50)
		if err != nil {
			t.Error(err)
			return
		}
		for _, e := range es {
			n, err := r.ReadAt(e.Stream, buf[:e.Len], e.Offset)
			if errors.Is(err, ErrHole) {
				continue
			}
			if err != nil || string(buf[:n]) != text[e.Offset:e.Offset+e.Len] {
				t.Errorf("entry %+v: %v, %.40q", e, err, buf[:n])
				return
			}
		}
		if last {
			return
		}
		select {
		case <-stop:
			last = true
		default:
		}
	}
}
