package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper"
)

// records are the files in which a keeper writes what becomes of its jobs: one
// file per job, one line per change, each line the whole Info. The last line
// that is complete counts. A file is made before its job is started and removed
// when the job is released.
//
// Nothing is synced while somebody waits: what a process crash could lose is
// safe with the kernel. The end of a job is synced soon after, against a power
// cut, unless the client has taken it over and released it by then.
type records struct {
	dir  string
	wake chan struct{}
	quit chan struct{}
	done chan struct{}

	mu    sync.Mutex
	dirty map[string]bool // ends not synced; guarded by mu
}

// jobsDir is where they are, in a keeper's directory.
const jobsDir = "jobs"

// syncAfter is how long a client has to take over the end of a job.
const syncAfter = 50 * time.Millisecond

func openRecords(dir string) (*records, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	r := &records{dir: dir, dirty: make(map[string]bool),
		wake: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{})}
	go r.run()
	return r, nil
}

// checkName refuses what is no name of a file.
func checkName(name string) error {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
	if name == "" || len(name) > 200 || name[0] == '.' || strings.Trim(name, allowed) != "" {
		return &keeper.SpawnError{Op: keeper.OpCheck, Path: name, Err: syscall.EINVAL, Hint: "a job's name consists of letters, digits, '-', '_' and '.'"}
	}
	return nil
}

func (r *records) path(name string) string { return filepath.Join(r.dir, name) }

// create makes a file for a job that will be started, for its first line.
func (r *records) create(name string) (*os.File, error) {
	fd, err := unix.Open(r.path(name), unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, &os.PathError{Op: "create", Path: r.path(name), Err: err}
	}
	return os.NewFile(uintptr(fd), name), nil
}

// append adds a line.
func (r *records) append(name string, line []byte) error {
	fd, err := unix.Open(r.path(name), unix.O_WRONLY|unix.O_APPEND|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: r.path(name), Err: err}
	}
	defer unix.Close(fd)
	// A torn line before this one must not swallow it.
	if _, err := unix.Write(fd, append(append([]byte("\n"), line...), '\n')); err != nil {
		return &os.PathError{Op: "write", Path: r.path(name), Err: err}
	}
	return nil
}

// settle has a job's file synced soon.
func (r *records) settle(name string) {
	r.mu.Lock()
	first := len(r.dirty) == 0
	r.dirty[name] = true
	r.mu.Unlock()
	if first {
		select {
		case r.wake <- struct{}{}:
		default:
		}
	}
}

func (r *records) remove(name string) {
	r.mu.Lock()
	delete(r.dirty, name)
	r.mu.Unlock()
	_ = unix.Unlink(r.path(name)) // one that stays is an ended job to the next keeper
}

func (r *records) run() {
	defer close(r.done)
	timer := time.NewTimer(0)
	defer timer.Stop()
	<-timer.C
	for {
		select {
		case <-r.wake:
			timer.Reset(syncAfter)
		case <-timer.C:
			r.sync()
		case <-r.quit:
			r.sync()
			return
		}
	}
}

// sync puts the ends that are still of interest on the disk.
func (r *records) sync() {
	r.mu.Lock()
	dirty := r.dirty
	r.dirty = make(map[string]bool)
	r.mu.Unlock()
	for name := range dirty {
		syncPath(r.path(name))
	}
	if len(dirty) > 0 {
		syncPath(r.dir)
	}
}

func syncPath(path string) {
	if fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0); err == nil {
		_ = unix.Fsync(fd) // there is nobody to tell, and nothing was promised
		unix.Close(fd)
	}
}

func (r *records) close() {
	close(r.quit)
	<-r.done
}

// load reads what earlier keepers have written.
func (r *records) load() ([]Info, error) {
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return nil, err
	}
	var all []Info
	for _, e := range entries {
		if checkName(e.Name()) != nil || !e.Type().IsRegular() {
			continue
		}
		b, err := os.ReadFile(r.path(e.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, lastLine(e.Name(), b))
	}
	return all, nil
}

// lastLine is the last complete state of a job; one that has none was about to
// be started.
func lastLine(name string, b []byte) Info {
	info := Info{Name: name}
	for line := range bytes.Lines(b) {
		var i Info
		if bytes.HasSuffix(line, []byte("\n")) && json.Unmarshal(line, &i) == nil && i.Name == name {
			info = i
		}
	}
	return info
}
