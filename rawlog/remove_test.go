package rawlog

import (
	"errors"
	"testing"
)

func TestRemove(t *testing.T) {
	for name, policy := range kept {
		t.Run(name, func(t *testing.T) {
			ls := newLogs(t, Config{})
			for n := 1; n <= 3; n++ {
				l := ls.Create(1, n, policy)
				run(t, l, "echo hi; echo ho >&2")
				(&pump{l: l}).drain(t, 100)
				check(t, l.Finish())
			}
			check(t, ls.Remove(1, 2))
			check(t, ls.Remove(1, 2))
			if _, err := ls.Open(1, 2); !errors.Is(err, ErrNotKept) {
				t.Fatalf("open: %v", err)
			}
			equal(t, "other run", content(t, open(t, ls, 1, 3), Stdout), "hi\n")
			check(t, ls.Remove(1, 3))
			check(t, ls.RemoveAll(1))
			check(t, ls.RemoveAll(1))
			if _, err := ls.Open(1, 1); !errors.Is(err, ErrNotKept) {
				t.Fatalf("open: %v", err)
			}
			equal(t, "folder", exists(ls.dir(1)), false)
			equal(t, "known logs", len(ls.live), 0)
		})
	}
}

// Removed while it is being compressed, a run leaves nothing behind.
func TestRemoveWhileFinishing(t *testing.T) {
	ls := newLogs(t, Config{})
	for n := range 20 {
		l := ls.Create(1, n, KeepGzip)
		check(t, l.Append(Stdout, []byte(lines(1000))))
		done := make(chan struct{})
		go func() { defer close(done); _ = l.Finish() }()
		check(t, ls.Remove(1, n))
		<-done
		for _, s := range suffixes {
			equal(t, s, exists(l.path(s)), false)
		}
	}
}

// A run may be removed while it lives and while it is read.
func TestRemoveLive(t *testing.T) {
	for name, policy := range kept {
		t.Run(name, func(t *testing.T) {
			ls := newLogs(t, Config{})
			l := ls.Create(1, 1, policy)
			p := &pump{l: l}
			run(t, l, "echo hi")
			p.drain(t, 100)
			r := open(t, ls, 1, 1)
			check(t, ls.RemoveAll(1))
			if _, err := r.ReadAt(Stdout, make([]byte, 3), 0); !errors.Is(err, ErrNotKept) {
				t.Fatalf("read: %v", err)
			}
			run(t, l, "echo ho")
			if _, _, err := l.Read(Stdout, make([]byte, 3)); err != nil {
				t.Fatal(err)
			}
			check(t, l.Finish())
			equal(t, "folder", exists(ls.dir(1)), false)
		})
	}
}

// What an earlier run of the same name left does not show.
func TestStaleFiles(t *testing.T) {
	ls := newLogs(t, Config{})
	for _, policy := range []Policy{KeepGzip, KeepFile, KeepFile, KeepGzip} {
		l := ls.Create(1, 1, policy)
		equal(t, "size", l.Size(Stdout), 0)
		run(t, l, "echo hi; echo ho")
		(&pump{l: l}).drain(t, 100)
		check(t, l.Finish())
		r := open(t, ls, 1, 1)
		equal(t, "content", content(t, r, Stdout), "hi\nho\n")
		equal(t, "entries", len(must[[]Entry](t)(r.Entries(0, 0))), 1)
	}
}
