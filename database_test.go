package reeve_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/store"
)

// spoil overwrites some pages in the middle of a database.
func spoil(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(b) / 2; i < len(b)/2+3*4096; i++ {
		b[i] = byte(i * 31)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return b
}

// A damaged database is refused by default and replaced when that is asked for;
// it is kept, and no id is used again, also none that only a log knows of.
func TestDamagedDatabase(t *testing.T) {
	dir := t.TempDir()
	rt := open(t, reeve.Config{Dir: dir})
	var last reeve.ID
	for range 60 {
		p, err := rt.Spawn(t.Context(), reeve.Command("true").Parked())
		if err != nil {
			t.Fatal(err)
		}
		last = p.ID()
	}
	p, err := rt.Spawn(t.Context(), reeve.Sh("echo said"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(bounded(t)); err != nil {
		t.Fatal(err)
	}
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	if p.ID() <= last {
		t.Fatal(p.ID(), last)
	}
	path := filepath.Join(dir, "reeve.db")
	damaged := spoil(t, path)

	_, err = reeve.Open(t.Context(), reeve.Config{Dir: dir})
	var u *store.Unavailable
	if !errors.As(err, &u) || u.Reason != store.Damaged {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{path, "restore a backup", "reeve serve --recover"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	if now, _ := os.ReadFile(path); !bytes.Equal(now, damaged) {
		t.Fatal("it was changed")
	}

	// A log of a process that the damaged database does not know.
	if err := os.MkdirAll(filepath.Join(dir, "logs", "5000"), 0o700); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	rt = open(t, reeve.Config{Dir: dir, Recover: true, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if !strings.Contains(log.String(), ".corrupt-") {
		t.Errorf("it says nothing of what it did: %s", log.String())
	}
	kept, _ := filepath.Glob(path + ".corrupt-*")
	if len(kept) != 1 {
		t.Fatalf("kept are %v", kept)
	}
	if b, _ := os.ReadFile(kept[0]); !bytes.Equal(b, damaged) {
		t.Error("what is kept is not what was there")
	}
	n, err := rt.Spawn(t.Context(), reeve.Sh("echo again"))
	if err != nil || n.ID() <= 5000 {
		t.Fatalf("%v, %v", n, err)
	}
	if _, err := n.Wait(bounded(t)); err != nil {
		t.Error(err)
	}
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, reeve.Config{Dir: dir, Recover: true}) // sound: nothing happens
	if again, _ := filepath.Glob(path + ".corrupt-*"); len(again) != 1 {
		t.Errorf("kept are %v", again)
	}
}

// A database from a backup knows less than the logs: ids go on after both.
func TestOlderDatabase(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "reeve.db")
	run := func() reeve.ID {
		rt := open(t, reeve.Config{Dir: dir})
		p, err := rt.Spawn(t.Context(), reeve.Sh("echo said"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Wait(bounded(t)); err != nil {
			t.Fatal(err)
		}
		if err := rt.Close(); err != nil {
			t.Fatal(err)
		}
		return p.ID()
	}
	run()
	backup, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := run()
	if err := os.WriteFile(path, backup, 0o600); err != nil {
		t.Fatal(err)
	}
	if id := run(); id <= last {
		t.Errorf("id %d was used again after %d", id, last)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "logs", last.String(), "1.stdout")); err != nil || string(b) != "said\n" {
		t.Errorf("the log of the forgotten process: %q, %v", b, err)
	}
}
