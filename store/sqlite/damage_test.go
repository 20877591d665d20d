package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reeverun/reeve/internal/seal"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
	"github.com/reeverun/reeve/store/storetest"
)

const damagedJobs = 400

// filled makes a database of some size, and returns its bytes. It is made once.
func filled(t *testing.T, path string) []byte {
	t.Helper()
	b, err := filledOnce()
	if err == nil {
		err = os.WriteFile(path, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Clone(b)
}

var filledOnce = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "reeve-sqlite-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	box, err := seal.Ephemeral()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "reeve.db")
	s, err := Open(context.Background(), Config{Path: path, Sealer: box})
	if err != nil {
		return nil, err
	}
	j := newJobs()
	var batch []store.Change
	for range damagedJobs {
		batch = append(batch, j.accepted())
	}
	if err := errors.Join(s.Apply(context.Background(), batch), s.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// pageSize is SQLite's.
const pageSize = 4096

// leaves are the pages of a table's rows, in their order.
func leaves(t *testing.T, table string) (all []int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "reeve.db")
	filled(t, path)
	rows, err := rawOpen(t, path).QueryContext(t.Context(), "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path", table)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var n int
		if err := rows.Scan(&n); err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	if len(all) < 3 {
		t.Fatalf("%s has %d pages", table, len(all))
	}
	return all
}

// middle is a page in the middle of a table.
func middle(t *testing.T, b []byte, table string) []byte {
	all := leaves(t, table)
	return b[(all[len(all)/2]-1)*pageSize:][:pageSize]
}

// damages are what can happen to a file that is not open.
var damages = map[string]func(t *testing.T, b []byte) []byte{
	"garbage for a header": func(_ *testing.T, b []byte) []byte { copy(b, bytes.Repeat([]byte{0xa5}, 100)); return b },
	"cut in the middle":    func(_ *testing.T, b []byte) []byte { return b[:len(b)/2] },
	"cut in a page":        func(_ *testing.T, b []byte) []byte { return b[:len(b)-1000] },
	"a page of garbage": func(t *testing.T, b []byte) []byte {
		for page, i := middle(t, b, "processes"), 0; i < pageSize; i++ {
			page[i] = byte(i * 7)
		}
		return b
	},
	"pages of zeros": func(t *testing.T, b []byte) []byte {
		clear(middle(t, b, "specs"))
		clear(middle(t, b, "events"))
		return b
	},
	"pages swapped": func(t *testing.T, b []byte) []byte {
		x, y := middle(t, b, "processes"), middle(t, b, "events")
		keep := bytes.Clone(x)
		copy(x, y)
		copy(y, keep)
		return b
	},
	"everything behind the header": func(_ *testing.T, b []byte) []byte {
		for i := 100; i < len(b); i++ {
			b[i] = byte(i)
		}
		return b
	},
	"no schema":   func(_ *testing.T, b []byte) []byte { clear(b[100:pageSize]); return b },
	"a few bytes": func(*testing.T, []byte) []byte { return []byte("SQLite format 3\x00") },
}

// A damaged database is refused, with a sentence that names it and says what to
// do, and is not touched; so is one of a size of which only the ends are looked
// at, by Check.
func TestDamageIsRefused(t *testing.T) {
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "reeve.db")
			b := damage(t, filled(t, path))
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			err := refused(t, path)
			var u *store.Unavailable
			if !errors.As(err, &u) || u.Reason != store.Damaged || !strings.Contains(err.Error(), "restore a backup") {
				t.Errorf("got %v", err)
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(b, after) {
				t.Error("the file was changed")
			}
			if err := CheckFile(t.Context(), path); !errors.As(err, &u) || u.Reason != store.Damaged {
				if len(b) > 512 {
					t.Errorf("the check says %v", err)
				}
			}
		})
	}
}

// What can be read of a damaged database is saved, the damaged one is kept as it
// was, and no id is used again.
func TestRecover(t *testing.T) {
	now := time.Date(2026, 6, 24, 12, 0, 0, 0, time.UTC)
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "reeve.db")
			b := damage(t, filled(t, path))
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := Recover(t.Context(), path, damagedJobs, now)
			if err != nil {
				t.Fatal(err)
			}
			if want := path + ".corrupt-20260624T120000Z"; r.Aside != want {
				t.Errorf("it is kept at %s, not %s", r.Aside, want)
			}
			if kept, _ := os.ReadFile(r.Aside); !bytes.Equal(b, kept) {
				t.Error("what is kept is not what was there")
			}
			s := open(t, path)
			m, err := s.Marks(t.Context())
			if err != nil || m.ID != r.ID || m.ID <= damagedJobs {
				t.Errorf("marks %+v, %v; %+v", m, err, r)
			}
			n := 0
			for id := process.ID(1); id <= damagedJobs; id++ {
				p, err := s.Process(t.Context(), id)
				if errors.Is(err, process.ErrNotFound) {
					continue
				}
				if err != nil || p.Code != "noop" || p.Environment != process.EnvFunction || !p.Claimed {
					t.Fatalf("process %d: %+v, %v", id, p, err)
				}
				if _, err := s.Events(t.Context(), id, 0, 10); err != nil {
					t.Errorf("events of %d: %v", id, err)
				}
				n++
			}
			if int64(n) != r.Processes {
				t.Errorf("%d processes, it says %d", n, r.Processes)
			}
			if n < damagedJobs && len(r.Lost) == 0 {
				t.Error("something was lost and it does not say so")
			}
			t.Logf("%d of %d processes saved, lost of %v", n, damagedJobs, r.Lost)
			if strings.Contains(name, "page") && n < damagedJobs/4 {
				t.Errorf("some bad pages cost %d processes", damagedJobs-n)
			}
			apply(t, s, store.Change{Insert: storetest.Full(m.ID+1, 1)})
			if err := s.Check(t.Context()); err != nil {
				t.Error(err)
			}
			left, _ := filepath.Glob(path + "*")
			for _, f := range left {
				if strings.Contains(f, "recovering") || strings.HasSuffix(f, "Z-shm") {
					t.Errorf("%s is left", f)
				}
			}
		})
	}
}

// A sound one loses nothing but its numbers' continuity, its log included, and
// each recovery keeps its own.
func TestRecoverWithALog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "reeve.db")
	box := testBox(t)
	s := openWith(t, path, box)
	p := storetest.Full(7, 3)
	p.Tags, p.Key = []string{"a", "b"}, process.Key{Name: "once", Request: "r"}
	told := storetest.FullNotification(7, 1, 1)
	apply(t, s, store.Change{Insert: p, Notifications: []process.Notification{told}})
	path = crashed(t, path)
	now := time.Now()
	for range 2 {
		r, err := Recover(t.Context(), path, 3, now)
		if err != nil || len(r.Lost) > 0 || r.Processes != 1 {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	kept, _ := filepath.Glob(path + ".corrupt-*")
	if len(kept) != 3 { // two files, and the log of the first
		t.Errorf("kept are %q", kept)
	}
	s = openWith(t, path, box)
	if got, err := s.Process(t.Context(), 7); err != nil || got.Ref != p.Ref {
		t.Errorf("%+v, %v", got, err)
	}
	if due, err := s.DueNotifications(t.Context(), told.Host, 5); err != nil || len(due) != 1 || due[0].ID != told.ID {
		t.Errorf("due: %v, %v", due, err)
	}
	if list, err := s.Processes(t.Context(), process.Query{Tag: "b", Limit: 5}); err != nil || len(list) != 1 {
		t.Errorf("by tag: %v, %v", list, err)
	}
	if id, err := s.FindKey(t.Context(), "once"); err != nil || id != 7 {
		t.Errorf("by key: %v, %v", id, err)
	}
	if list, err := s.Processes(t.Context(), process.Query{Since: p.CreatedAt.Add(-time.Hour), Limit: 5}); err != nil || len(list) != 1 {
		t.Errorf("by time: %v, %v", list, err)
	}
}

// A log that is garbage, or gone, is as if it had never been written: what was
// moved into the file is there.
func TestLogOfGarbage(t *testing.T) {
	for name, damage := range map[string]func(wal string) error{
		"garbage": func(wal string) error { return os.WriteFile(wal, bytes.Repeat([]byte("garbage "), 5000), 0o600) },
		"gone":    os.Remove,
		"empty":   func(wal string) error { return os.Truncate(wal, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "reeve.db")
			box := testBox(t)
			s := openWith(t, path, box)
			apply(t, s, store.Change{Insert: storetest.Full(1, 1)})
			s.Close()
			s = openWith(t, path, box)
			apply(t, s, store.Change{Insert: storetest.Full(2, 2)})
			path = crashed(t, path)
			if err := damage(path + "-wal"); err != nil {
				t.Fatal(err)
			}
			s = openWith(t, path, box)
			if _, err := s.Process(t.Context(), 1); err != nil {
				t.Error(err)
			}
			if err := s.Skip(t.Context(), 2); err != nil {
				t.Fatal(err)
			}
			if m, err := s.Marks(t.Context()); err != nil || m.ID <= 2 {
				t.Errorf("marks %+v, %v", m, err)
			}
		})
	}
}

// A file that may not be written is said to be one.
func TestUnwritableFile(t *testing.T) {
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("modes do not bind this user")
	}
	path := filepath.Join(t.TempDir(), "reeve.db")
	filled(t, path)
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	if err := refused(t, path); !strings.Contains(err.Error(), "permissions") {
		t.Errorf("got %v", err)
	}
}

// Another program's lock is waited for, a while, and told.
func TestLockedByAnotherProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "reeve.db")
	s := open(t, path)
	if err := s.w.exec("PRAGMA busy_timeout = 200"); err != nil {
		t.Fatal(err)
	}
	j := newJobs()
	apply(t, s, j.accepted())
	db := rawOpen(t, path)
	rawExec(t, db, "BEGIN IMMEDIATE")
	var u *store.Unavailable
	for _, err := range []error{s.Apply(t.Context(), []store.Change{j.accepted()}), s.Probe(t.Context())} {
		if !errors.As(err, &u) || u.Reason != store.Locked || !strings.Contains(fmt.Sprint(err), "another program") {
			t.Errorf("got %v", err)
		}
	}
	if _, err := s.Process(t.Context(), 1); err != nil {
		t.Errorf("reading: %v", err)
	}
	rawExec(t, db, "ROLLBACK")
	if err := s.Probe(t.Context()); err != nil {
		t.Error(err)
	}
	apply(t, s, j.accepted())
}

// Of a large database only the ends are looked at before it is opened: that
// takes no time. Check finds the rest.
func TestLargeDatabaseIsCheckedLater(t *testing.T) {
	path := filepath.Join(t.TempDir(), "reeve.db")
	b := filled(t, path)
	cfg := Config{Path: path, Sealer: testBox(t), whole: 1000}
	check := func() (checked bool, err error) {
		s, err := Open(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		return s.Checked(), s.Check(t.Context())
	}
	if checked, err := check(); err != nil || checked {
		t.Errorf("%v, %v", err, checked)
	}
	clear(middle(t, b, "events"))
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	var u *store.Unavailable
	if _, err := check(); !errors.As(err, &u) || u.Reason != store.Damaged {
		t.Errorf("got %v", err)
	}
	clear(b[100:pageSize]) // where every table begins to be found
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(t.Context(), cfg); !errors.As(err, &u) || u.Reason != store.Damaged {
		t.Errorf("got %v, %v", s, err)
	}
}
