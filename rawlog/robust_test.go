package rawlog

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestNoDirectory(t *testing.T) {
	ls := must[*Logs](t)(New(Config{}))
	defer ls.Close()
	l := ls.Create(1, 1, KeepFile)
	if _, err := l.File(Stdout); !errors.Is(err, ErrNoDir) {
		t.Fatalf("file: %v", err)
	}
	if err := l.Append(Stdout, []byte("x")); !errors.Is(err, ErrNoDir) {
		t.Fatalf("append: %v", err)
	}
	check(t, l.Finish())
	if _, err := ls.Open(1, 1); !errors.Is(err, ErrNotKept) {
		t.Fatalf("open: %v", err)
	}
	m := ls.Create(2, 1, KeepMemory)
	run(t, m, "echo hi")
	check(t, m.Finish())
	equal(t, "content", content(t, open(t, ls, 2, 1), Stdout), "hi\n")
	check(t, ls.RemoveAll(2))
	check(t, ls.Remove(2, 1))
}

func TestNothingIsWrittenBeforeItIsNeeded(t *testing.T) {
	ls := newLogs(t, Config{})
	l := ls.Create(1, 1, KeepFile)
	equal(t, "armed", l.Arm(), false)
	check(t, l.Finish())
	m := ls.Create(2, 1, KeepMemory)
	run(t, m, "echo hi")
	check(t, m.Finish())
	equal(t, "log directory", exists(ls.cfg.Dir), false)
}

// A silent run leaves its two empty files and nothing else.
func TestEmptyRun(t *testing.T) {
	ls := newLogs(t, Config{})
	l := ls.Create(1, 1, KeepFile)
	run(t, l, "true")
	(&pump{l: l}).drain(t, 100)
	check(t, l.Finish())
	var names []string
	for _, f := range must[[]os.DirEntry](t)(os.ReadDir(ls.dir(1))) {
		fi := must[os.FileInfo](t)(f.Info())
		names = append(names, fmt.Sprint(f.Name(), fi.Mode().Perm(), fi.Size()))
	}
	equal(t, "files", strings.Join(names, " "), "1.stderr-rw------- 0 1.stdout-rw------- 0")
	equal(t, "mode", must[os.FileInfo](t)(os.Stat(ls.dir(1))).Mode().Perm(), 0o700)
	r := open(t, ls, 1, 1)
	equal(t, "size", r.Size(Stdout), 0)
	equal(t, "entries", len(must[[]Entry](t)(r.Entries(0, 0))), 0)
}

// The log folder is deleted under a live run.
func TestFolderDeleted(t *testing.T) {
	for name, policy := range map[string]Policy{"file": KeepFile, "gzip": KeepGzip} {
		t.Run(name, func(t *testing.T) {
			ls := newLogs(t, Config{Cap: 64 << 10})
			l := ls.Create(1, 1, policy)
			run(t, l, "echo one")
			for os.RemoveAll(ls.cfg.Dir) != nil { // spares are being made there
				runtime.Gosched()
			}
			run(t, l, "echo two")
			buf := make([]byte, 100)
			n, _, err := l.Read(Stdout, buf)
			check(t, err)
			equal(t, "read", string(buf[:n]), "one\ntwo\n")
			if err := l.Index(Entry{Seq: 1, Cursor: 1, Len: 8, Count: 2}); err == nil {
				t.Fatal("index has no folder and no error")
			}
			r := open(t, ls, 1, 1)
			equal(t, "entries", len(must[[]Entry](t)(r.Entries(0, 0))), 1)
			equal(t, "armed", l.Arm(), false)
			run(t, l, "echo three")
			<-l.Wake() // polled
			check(t, l.Append(Stdout, []byte(lines(20000))))
			for {
				n, off, err := l.Read(Stdout, buf)
				check(t, err)
				if n == 0 {
					break
				}
				_ = l.Consumed(Stdout, off+int64(n))
			}
			err = l.Finish()
			equal(t, "finish fails", err != nil, true)
			if _, err := ls.Open(1, 1); !errors.Is(err, ErrNotKept) {
				t.Fatalf("open: %v", err)
			}
		})
	}
}

// Everything at once, for the race detector.
func TestFinishAmidEverything(t *testing.T) {
	for p := KeepFile; p <= KeepNothing; p++ {
		ls := newLogs(t, Config{Cap: 64 << 10, MemoryCap: 64 << 10})
		l := ls.Create(1, 1, p)
		must[*os.File](t)(l.File(Stdout))
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				for l.Append(Stdout, []byte(lines(100))) == nil {
				}
			})
			wg.Go(func() {
				for {
					r, err := ls.Open(1, 1)
					if err != nil {
						return
					}
					_, _ = r.Copy(discard{}, Stdout, 0, -1)
					_ = r.Close()
					if l.Append(Stderr, []byte("x")) != nil {
						return
					}
				}
			})
		}
		pumping := make(chan struct{})
		go func() {
			defer close(pumping)
			buf := make([]byte, 8<<10)
			for {
				n, off, err := l.Read(Stdout, buf)
				if err != nil {
					return
				}
				_ = l.Consumed(Stdout, off+int64(n))
				if n == 0 && !l.Arm() {
					select {
					case <-l.Wake():
					case <-time.After(time.Second):
					}
				}
			}
		}()
		time.AfterFunc(50*time.Millisecond, func() { _ = l.Finish() })
		wg.Wait()
		check(t, l.Finish())
		<-pumping
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
