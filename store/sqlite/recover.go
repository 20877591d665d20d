package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/reeverun/reeve/process"
)

// Recovered says what became of a damaged database.
type Recovered struct {
	Aside     string     // where it is kept, as it was
	Processes int64      // of which the new one has a record
	Lost      []string   // tables of which not everything could be read
	ID        process.ID // the last id that counts as used
}

// How far apart what is used from now on is from what was used before: records
// that cannot be read had numbers, too.
const (
	skippedIDs     = 1000
	skippedCursors = 1 << 40
)

// Recover replaces a damaged database by a new one with what can be read of it.
// The damaged one is kept beside it, under the name it returns, and never
// changed or removed. Ids go on after all that were used, used being the highest
// one that the caller knows of. What was not over counts as possibly started:
// it is not run again.
//
// A crash leaves the damaged database, or the new one, and the one kept aside in
// either case.
func Recover(ctx context.Context, path string, used process.ID, now time.Time) (r Recovered, err error) {
	if r.Aside, err = keepAside(path, now); err != nil {
		return r, fmt.Errorf("keep the damaged database: %w", err)
	}
	made := path + ".recovering"
	if err := removeDatabase(made); err != nil {
		return r, err
	}
	if err := createFile(made); err != nil {
		return r, err
	}
	w, err := openWriter(ctx, made)
	if err != nil {
		return r, explain(made, err)
	}
	err = r.salvage(ctx, w, used)
	if err = errors.Join(err, w.close()); err != nil {
		return r, errors.Join(fmt.Errorf("save what can be read: %w", explain(made, err)), removeDatabase(made))
	}
	for _, beside := range []string{"-wal", "-shm"} { // they belong to the damaged one, and are kept with it
		if err := os.Remove(path + beside); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return r, err
		}
	}
	if err := os.Rename(made, path); err != nil {
		return r, err
	}
	_ = os.Remove(r.Aside + "-shm") // made by looking
	return r, syncDir(filepath.Dir(path))
}

// keepAside gives a database with its log a second name.
func keepAside(path string, now time.Time) (aside string, err error) {
	base := path + ".corrupt-" + now.UTC().Format("20060102T150405Z")
	aside = base
	for n := 2; ; n++ {
		err := os.Link(path, aside)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
		aside = fmt.Sprintf("%s-%d", base, n)
	}
	if err := os.Link(path+"-wal", aside+"-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return aside, syncDir(filepath.Dir(path))
}

func removeDatabase(path string) error {
	for _, name := range []string{path, path + "-wal", path + "-shm", path + "-journal"} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// syncDir makes names durable, where folders can be synced.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// Skip has ids go on after used, for a database that is older than what else is
// known.
func (s *Store) Skip(ctx context.Context, used process.ID) error {
	if err := s.lock(); err != nil {
		return err
	}
	defer s.mu.Unlock()
	next := s.marks
	next.id = max(next.id, int64(used)+skippedIDs)
	next.cursor += skippedCursors
	next.approval += skippedIDs
	err := s.w.transaction(ctx, func() error { return s.w.mark(&next, nil) })
	if err == nil {
		s.marks = next
	}
	return s.fail("skip ids", err)
}
