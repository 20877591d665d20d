package sqlite

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
	"github.com/reeverun/reeve/store/storetest"
)

// rawOpen opens a file by the driver alone.
func rawOpen(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", dsn(path, "rwc"))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}

func rawExec(t *testing.T, db *sql.DB, query string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), query); err != nil {
		t.Fatal(err)
	}
}

// files returns what a database consists of on the disk, the index of its log
// aside, which holds nothing that is not in the log.
func files(t *testing.T, path string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, name := range []string{path, path + "-wal", path + "-journal"} {
		b, err := os.ReadFile(name)
		if err == nil {
			out[filepath.Base(name)] = b
		} else if !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	return out
}

// crashed copies a database as a crash would leave it: the log not moved into
// the file.
func crashed(t *testing.T, path string) string {
	t.Helper()
	dir := t.TempDir()
	for name, b := range files(t, path) {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, filepath.Base(path))
}

func refused(t *testing.T, path string) error {
	t.Helper()
	s, err := Open(t.Context(), Config{Path: path, Sealer: testBox(t)})
	if err == nil {
		s.Close()
		t.Fatal("it was opened")
	}
	if !strings.Contains(err.Error(), path) {
		t.Errorf("the error does not name the file: %v", err)
	}
	return err
}

func TestOpenCreatesPrivateFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b c?#%41")
	path := filepath.Join(dir, "reeve.db")
	s := open(t, path)
	if err := s.Apply(t.Context(), []store.Change{{Insert: storetest.Full(1, 1)}}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{dir: 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", name, got, want)
		}
	}
}

func TestOpenNeedsBothFields(t *testing.T) {
	if _, err := Open(t.Context(), Config{Path: filepath.Join(t.TempDir(), "x.db")}); err == nil {
		t.Fatal("opened without a sealer")
	}
	if _, err := Open(t.Context(), Config{Sealer: testBox(t)}); err == nil {
		t.Fatal("opened without a path")
	}
}

func TestEmptyFileIsANewDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "reeve.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	open(t, path)
}

func TestNewerSchemaIsRefusedUntouched(t *testing.T) {
	path := filepath.Join(t.TempDir(), "reeve.db")
	open(t, path).Close()
	db := rawOpen(t, path)
	rawExec(t, db, fmt.Sprintf("PRAGMA user_version = %d", latest()+41))

	// Once with the number in the log only, once in the file.
	for name, prepare := range map[string]func() string{
		"in the log":  func() string { return crashed(t, path) },
		"in the file": func() string { db.Close(); return path },
	} {
		t.Run(name, func(t *testing.T) {
			at := prepare()
			before := files(t, at)
			err := refused(t, at)
			if !errors.Is(err, process.ErrUnsupportedSchema) {
				t.Fatalf("got %v", err)
			}
			for _, want := range []string{fmt.Sprint("schema ", latest()+41), fmt.Sprint("up to ", latest())} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error does not say %q: %v", want, err)
				}
			}
			after := files(t, at)
			if len(after) != len(before) {
				t.Fatalf("files before %d, after %d", len(before), len(after))
			}
			for f := range before {
				if !bytes.Equal(before[f], after[f]) {
					t.Errorf("%s was changed", f)
				}
			}
		})
	}
}

func TestStrangersAreRefusedUntouched(t *testing.T) {
	foreign := func(t *testing.T, path string) {
		db := rawOpen(t, path)
		rawExec(t, db, "CREATE TABLE theirs (x)")
		db.Close()
	}
	ours := func(t *testing.T, path string) []byte {
		s := open(t, path)
		for id := process.ID(1); id <= 50; id++ {
			if err := s.Apply(t.Context(), []store.Change{{Insert: storetest.Full(id, int(id))}}); err != nil {
				t.Fatal(err)
			}
		}
		s.Close()
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for name, tt := range map[string]struct {
		make func(t *testing.T, path string)
		want string
	}{
		"another program's": {foreign, "another program"},
		"text": {func(t *testing.T, path string) {
			os.WriteFile(path, []byte(strings.Repeat("this is not a database\n", 100)), 0o600)
		}, "not a database"},
		"short": {func(t *testing.T, path string) { os.WriteFile(path, []byte("x"), 0o600) }, "not a database"},
		"overwritten": {func(t *testing.T, path string) {
			b := ours(t, path)
			for i := 100; i < len(b); i++ {
				b[i] = 0xa5
			}
			os.WriteFile(path, b, 0o600)
		}, "damaged"},
		"directory": {func(t *testing.T, path string) { os.Mkdir(path, 0o700) }, "not a file"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "reeve.db")
			tt.make(t, path)
			before, _ := os.ReadFile(path)
			err := refused(t, path)
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestFolderThatCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Config{Path: filepath.Join(file, "reeve.db"), Sealer: testBox(t)}); err == nil ||
		!strings.Contains(err.Error(), file) {
		t.Fatalf("got %v", err)
	}
}

// Every schema has one script, without gaps.
func TestScripts(t *testing.T) {
	for v := 1; v <= latest(); v++ {
		if _, err := script(v); err != nil {
			t.Error(err)
		}
	}
	if _, err := script(latest() + 1); err == nil {
		t.Error("there is a script beyond the latest")
	}
}

func TestPragmas(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "reeve.db"))
	for pragma, want := range map[string]any{"journal_mode": "wal", "synchronous": int64(2), "user_version": int64(latest())} {
		st, err := s.w.prepare("PRAGMA " + pragma)
		if err != nil {
			t.Fatal(err)
		}
		row, err := st.row(1)
		st.close()
		if err != nil || row[0] != want {
			t.Errorf("%s is %v, %v; want %v", pragma, row, err, want)
		}
	}
	if _, err := s.db.ExecContext(t.Context(), "DELETE FROM marks"); err == nil {
		t.Error("a reading connection wrote")
	}
}

// A database of every earlier schema is brought forward with what it holds.
func TestMigration(t *testing.T) {
	for from := 1; from < latest(); from++ {
		path := filepath.Join(t.TempDir(), fmt.Sprintf("v%d.db", from))
		db := rawOpen(t, path)
		for v := 1; v <= from; v++ {
			text, err := script(v)
			if err != nil {
				t.Fatal(err)
			}
			rawExec(t, db, text)
		}
		rawExec(t, db, fmt.Sprintf("PRAGMA user_version = %d", from))
		rawExec(t, db, `UPDATE marks SET id = 5, cursor = 9;
			INSERT INTO processes VALUES (5, NULL, NULL, 'command', 0, 1, 7, 1, NULL, NULL, 0, '{}');
			INSERT INTO specs VALUES (5, '{"label":"old"}', NULL, NULL)`)
		db.Close()
		s := open(t, path)
		p, err := s.Process(t.Context(), 5)
		if err != nil || p.Label != "old" || p.Options.Tools != nil {
			t.Errorf("from %d: %+v, %v", from, p, err)
		}
		a := storetest.FullApproval(3, 5, 1)
		apply(t, s, store.Change{Approvals: []process.Approval{a}})
		if m, err := s.Marks(t.Context()); err != nil || m != (store.Marks{ID: 5, Cursor: 9, Approval: 3}) {
			t.Errorf("from %d: marks %+v, %v", from, m, err)
		}
	}
}
