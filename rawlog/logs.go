package rawlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

// Logs holds the logs of all runs. Close it after its logs' pumps have ended.
type Logs struct {
	cfg    Config
	watch  watcher
	spares spares

	mu     sync.Mutex
	live   map[int64]*Log // by process, runs linked by Log.next: live ones, and those in memory
	closed bool
}

// New returns the logs under c.Dir. It writes nothing until a log needs a file.
func New(c Config) (*Logs, error) {
	if c.Cap < 0 || c.MemoryCap < 0 {
		return nil, fmt.Errorf("log cap is negative: %d, %d", c.Cap, c.MemoryCap)
	}
	if c.Cap == 0 {
		c.Cap = 1 << 30
	}
	if c.MemoryCap == 0 {
		c.MemoryCap = 1 << 20
	}
	if c.Dir != "" {
		dir, err := filepath.Abs(c.Dir)
		if err != nil {
			return nil, fmt.Errorf("log directory: %w", err)
		}
		c.Dir = dir
	}
	return &Logs{cfg: c, live: map[int64]*Log{}, spares: spares{dir: c.Dir}}, nil
}

// Close closes the descriptors of all live logs, which stay as they are on
// disk, and forgets those in memory. It waits for logs that are being finished.
// It may be called again.
func (ls *Logs) Close() error {
	ls.mu.Lock()
	live := ls.live
	ls.live, ls.closed = nil, true
	ls.mu.Unlock()
	var errs []error
	for _, l := range live {
		for ; l != nil; l = l.next {
			errs = append(errs, l.abandon())
		}
	}
	ls.spares.close()
	ls.watch.close()
	return errors.Join(errs...)
}

// Create returns the log of a new run. Files are made when they are first
// needed; what an earlier run of the same number left is then removed.
func (ls *Logs) Create(id int64, run int, p Policy) *Log {
	l := newLog(ls, id, run, p)
	l.fresh = true
	ls.enter(l)
	return l
}

// Recover returns the log of a run whose host died, positioned after the last
// indexed byte of each stream: ready to be read to the end and finished.
// Entries above lastSeq are dropped, their bytes are to be read again.
// Output that was kept in memory died with its host: ErrNotKept.
func (ls *Logs) Recover(id int64, run int, p Policy, lastSeq int64) (*Log, error) {
	if !p.OnDisk() {
		return nil, fmt.Errorf("recover log of %d-%d: %w", id, run, ErrNotKept)
	}
	if ls.cfg.Dir == "" {
		return nil, ErrNoDir
	}
	l := newLog(ls, id, run, p)
	if err := l.recover(lastSeq); err != nil {
		_ = l.abandon()
		return nil, fmt.Errorf("recover log of %d-%d: %w", id, run, err)
	}
	ls.enter(l)
	return l, nil
}

// enter makes l known, in place of an earlier one of its name.
func (ls *Logs) enter(l *Log) {
	ls.leave(l.id, l.run)
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if ls.closed {
		l.finished = true
		return
	}
	l.next = ls.live[l.id]
	ls.live[l.id] = l
}

// leave forgets the log of a run and returns it, nil if it was not known.
func (ls *Logs) leave(id int64, run int) *Log {
	return ls.cut(id, func(l *Log) bool { return l.run == run })
}

// leaveThis forgets l, but no other that has taken its place.
func (ls *Logs) leaveThis(l *Log) {
	ls.cut(l.id, func(k *Log) bool { return k == l })
}

// cut takes the first log of a process for which is returns true off its list.
// The log's own link stays, for those who walk the list.
func (ls *Logs) cut(id int64, is func(*Log) bool) *Log {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	var before *Log
	for l := ls.live[id]; l != nil; before, l = l, l.next {
		if !is(l) {
			continue
		}
		switch {
		case before != nil:
			before.next = l.next
		case l.next != nil:
			ls.live[id] = l.next
		default:
			delete(ls.live, id)
		}
		return l
	}
	return nil
}

func (ls *Logs) find(id int64, run int) *Log {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l := ls.live[id]
	for l != nil && l.run != run {
		l = l.next
	}
	return l
}

// Dir is the folder that holds the logs; empty: none are on disk.
func (ls *Logs) Dir() string { return ls.cfg.Dir }

// dir is the folder of a process's logs.
func (ls *Logs) dir(id int64) string {
	return filepath.Join(ls.cfg.Dir, strconv.FormatInt(id, 10))
}

// path is the file of a run with the given suffix.
func (ls *Logs) path(id int64, run int, suffix string) string {
	return ls.dir(id) + string(filepath.Separator) + strconv.Itoa(run) + suffix
}

// suffixes are all files a run can have.
var suffixes = [...]string{".stdout", ".stderr", ".stdout.gz", ".stderr.gz", ".stdout.gz.tmp", ".stderr.gz.tmp", indexSuffix}

// Remove removes what is kept of a run. A log that does not exist is no error.
func (ls *Logs) Remove(id int64, run int) error {
	if l := ls.leave(id, run); l != nil {
		l.forget()
	}
	if ls.cfg.Dir == "" {
		return nil
	}
	errs := []error{ls.unlink(id, run)}
	// The folder goes with its last log; it fails while there are others.
	_ = os.Remove(ls.dir(id))
	return errors.Join(errs...)
}

func (ls *Logs) unlink(id int64, run int) error {
	var errs []error
	for _, s := range suffixes {
		if err := os.Remove(ls.path(id, run, s)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("remove log: %w", err))
		}
	}
	return errors.Join(errs...)
}

// RemoveAll removes what is kept of all runs of a process.
func (ls *Logs) RemoveAll(id int64) error {
	ls.mu.Lock()
	l := ls.live[id]
	delete(ls.live, id)
	ls.mu.Unlock()
	for ; l != nil; l = l.next {
		l.forget()
	}
	if ls.cfg.Dir == "" {
		return nil
	}
	if err := os.RemoveAll(ls.dir(id)); err != nil {
		return fmt.Errorf("remove logs: %w", err)
	}
	return nil
}
