package rawlog

import (
	"sync"
	"testing"
)

// A log that is created while it is opened is live, not a finished one that
// stays empty.
func TestOpenWhileCreated(t *testing.T) {
	ls, err := New(Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer ls.Close()
	for id := int64(1); id <= 4000; id++ {
		var r *Reader
		var opened error
		var wg sync.WaitGroup
		start := make(chan struct{})
		wg.Go(func() { <-start; r, opened = ls.Open(id, 1) })
		close(start)
		l := ls.Create(id, 1, KeepFile)
		if err := l.ensure(Stdout); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		if opened == nil {
			if r.live == nil {
				t.Fatalf("log %d is live and was opened as finished", id)
			}
			r.Close()
		}
		if err := l.Finish(); err != nil {
			t.Fatal(err)
		}
		if err := ls.Remove(id, 1); err != nil {
			t.Fatal(err)
		}
	}
}
