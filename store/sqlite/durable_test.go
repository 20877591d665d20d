package sqlite

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
	"github.com/reeverun/reeve/store/storetest"
)

func apply(t testing.TB, s store.Store, changes ...store.Change) {
	t.Helper()
	if err := s.Apply(t.Context(), changes); err != nil {
		t.Fatal(err)
	}
}

// What Apply has acknowledged is there after a clean end and after a crash, and
// the numbers that were used stay used.
func TestReopen(t *testing.T) {
	box := testBox(t)
	path := filepath.Join(t.TempDir(), "reeve.db")
	s := openWith(t, path, box)
	j := newJobs()
	var changes []store.Change
	for range 40 {
		changes = append(changes, j.accepted())
	}
	apply(t, s, changes...)
	full := storetest.Full(50, 3)
	said := storetest.FullMessage(1, 1)
	apply(t, s, j.finished(1), store.Change{Insert: full, Messages: []process.Message{said}})
	if err := s.Delete(t.Context(), 40); err != nil {
		t.Fatal(err)
	}

	check := func(t *testing.T, s *Store) {
		t.Helper()
		m, err := s.Marks(t.Context())
		if err != nil || m != (store.Marks{ID: 50, Cursor: j.cursor}) {
			t.Errorf("marks %+v, %v; want 50 and %d", m, err, j.cursor)
		}
		got, err := s.Process(t.Context(), full.ID)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(full, got, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("process (-want +got):\n%s", d)
		}
		evs, err := s.Events(t.Context(), 1, 0, 100)
		if err != nil || len(evs) != 6 {
			t.Errorf("%d events, %v", len(evs), err)
		}
		messages, err := s.Messages(t.Context(), full.ID, 0, 10)
		if d := cmp.Diff([]process.Message{said}, messages); err != nil || d != "" {
			t.Errorf("messages %v (-want +got):\n%s", err, d)
		}
		if s.marks.created.high == never || s.marks.events.high == never {
			t.Errorf("the clocks were forgotten: %+v", s.marks)
		}
	}
	t.Run("after a crash", func(t *testing.T) { check(t, openWith(t, crashed(t, path), box)) })
	t.Run("after a clean end", func(t *testing.T) {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path + "-wal"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the log is still there: %v", err)
		}
		check(t, openWith(t, path, box))
	})
}

// No secret reaches the disk in clear: not in the file, not in the log.
func TestSecretsAreOnlyStoredSealed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "reeve.db")
	s := open(t, path)
	const env, stdin = "s3cr3t-of-the-environment", "s3cr3t-of-stdin"
	p := &process.Process{ID: 1, State: process.Queued, Spec: process.Spec{Environment: process.EnvCommand,
		Command: &process.Command{Program: "make", Env: map[string]process.Secret{"NAME_OF_IT": env},
			Stdin: process.StdinBytes, StdinData: stdin}}}
	apply(t, s, store.Change{Insert: p})
	p.State = process.Running
	apply(t, s, store.Change{Update: p, Approvals: []process.Approval{{ID: 1, Process: 1, Service: "NAME_OF_IT",
		State: process.ApprovalPending, Params: []byte(`{"token":"s3cr3t-of-a-call"}`)}},
		Messages: []process.Message{{Number: 1, Text: "s3cr3t-of-a-conversation"}}})

	look := func(when string) {
		t.Helper()
		all, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
		if err != nil || len(all) == 0 {
			t.Fatal(err)
		}
		seen := false
		for _, name := range all {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(b, []byte("s3cr3t")) {
				t.Errorf("%s: %s holds a secret in clear", when, filepath.Base(name))
			}
			seen = seen || bytes.Contains(b, []byte("NAME_OF_IT"))
		}
		if !seen {
			t.Errorf("%s: the name is nowhere: the files were not what this test thinks", when)
		}
	}
	look("while open")
	list, err := s.Processes(t.Context(), process.Query{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if c := list[0].Command; c.Env["NAME_OF_IT"].Reveal() != process.Redacted || c.StdinData.Reveal() != process.Redacted {
		t.Errorf("a list reveals secrets")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	look("closed")
}

func TestSecretsNeedTheirKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "reeve.db")
	s := open(t, path)
	apply(t, s, store.Change{Insert: storetest.Full(1, 1)})
	s.Close()
	s = open(t, path) // another key
	if _, err := s.Process(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "process 1: open secrets") {
		t.Errorf("got %v", err)
	}
	if list, err := s.Processes(t.Context(), process.Query{Limit: 1}); err != nil || len(list) != 1 {
		t.Errorf("the list needs no key: %d, %v", len(list), err)
	}
}

type brokenSealer struct{ Sealer }

func (brokenSealer) Seal([]byte) ([]byte, error) { return nil, errors.New("no key today") }

func TestSealingFails(t *testing.T) {
	s, err := Open(t.Context(), Config{Path: filepath.Join(t.TempDir(), "reeve.db"), Sealer: brokenSealer{}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.Apply(t.Context(), []store.Change{newJobs().accepted(), {Insert: storetest.Full(2, 1)}})
	if err == nil || !strings.Contains(err.Error(), "no key today") {
		t.Fatalf("got %v", err)
	}
	if _, err := s.Process(t.Context(), 1); !errors.Is(err, process.ErrNotFound) {
		t.Errorf("half a batch was applied: %v", err)
	}
}

// A full disk refuses a batch as a whole, says so, and is no end.
func TestFullDisk(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "reeve.db"))
	j := newJobs()
	apply(t, s, j.accepted())
	if err := s.w.exec("PRAGMA max_page_count = 40"); err != nil {
		t.Fatal(err)
	}
	var batch []store.Change
	for range 2000 {
		batch = append(batch, j.accepted())
	}
	err := s.Apply(t.Context(), batch)
	if err == nil || !strings.Contains(err.Error(), "disk is full") {
		t.Fatalf("got %v", err)
	}
	if list, err := s.Processes(t.Context(), process.Query{Limit: 100}); err != nil || len(list) != 1 {
		t.Fatalf("%d processes, %v", len(list), err)
	}
	if err := s.w.exec("PRAGMA max_page_count = 1000000"); err != nil {
		t.Fatal(err)
	}
	apply(t, s, batch...)
}
