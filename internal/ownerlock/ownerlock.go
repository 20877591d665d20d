// Package ownerlock makes sure that a data directory has one owner at a time.
//
// The owner holds an operating system lock on the file "lock" in the
// directory, so a lock never outlives its process, however that ended. The
// file also says who holds it, for the sentence a second opener gets; its
// content is for people and decides nothing. The file itself stays: removing
// it would let two owners lock two files of one name.
package ownerlock

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/reeverun/reeve/process"
)

// FileName is the name of the lock file within the data directory.
const FileName = "lock"

// errHeld is what tryLock answers when another opener holds the lock.
var errHeld = errors.New("lock is held")

// Holder says who holds a lock.
type Holder struct {
	PID     int       `json:"pid"`
	Program string    `json:"program"`
	Since   time.Time `json:"since"`
}

// Lock is a held lock.
type Lock struct {
	mu   sync.Mutex // guards file
	file *os.File   // nil once closed
}

// Acquire makes the caller the owner of a data directory, which is created
// (0700) if it does not exist. If it has an owner, in this process or in
// another, the error matches process.ErrOwned and names it; nothing is changed
// then.
func Acquire(dir string) (*Lock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("lock data directory: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, FileName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock data directory: %w", err)
	}
	if err := lockAndSign(f); err != nil {
		defer f.Close()
		if errors.Is(err, errHeld) {
			return nil, owned(dir, f)
		}
		return nil, fmt.Errorf("lock data directory %s: %w", dir, err)
	}
	return &Lock{file: f}, nil
}

func lockAndSign(f *os.File) error {
	err := tryLock(f)
	for start := time.Now(); errors.Is(err, errHeld) && heirOf(f) && time.Since(start) < heirTime; {
		time.Sleep(time.Millisecond)
		err = tryLock(f)
	}
	if err != nil {
		return err
	}
	return sign(f)
}

// heirTime is how long to wait for the heir of a dead owner.
const heirTime = 3 * time.Second

// heirOf reports whether the lock is held though its owner is dead: by a child
// that was being started when the owner was killed, and holds a copy of its
// descriptors until it has become its own program.
func heirOf(f *os.File) bool {
	h, ok := readHolder(f)
	return ok && !alive(h.PID)
}

// sign writes who holds the lock. A reader may see it half-written, so readers
// take what they cannot parse for an unknown holder.
func sign(f *os.File) error {
	b, err := json.Marshal(Holder{PID: os.Getpid(), Program: programName(), Since: time.Now().UTC().Truncate(time.Millisecond)})
	if err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = f.WriteAt(append(b, '\n'), 0)
	return err
}

func programName() string {
	if len(os.Args) == 0 || os.Args[0] == "" {
		return "unknown"
	}
	return filepath.Base(os.Args[0])
}

// owned makes the error for a second opener.
func owned(dir string, f *os.File) error {
	by := "another program"
	if h, ok := readHolder(f); ok {
		by = fmt.Sprintf("%s (pid %d, since %s)", h.Program, h.PID, h.Since.Local().Format("2006-01-02 15:04:05"))
		if h.PID == os.Getpid() {
			by = fmt.Sprintf("this program itself (%s, pid %d, since %s)", h.Program, h.PID, h.Since.Local().Format("2006-01-02 15:04:05"))
		}
	}
	return &process.Error{
		Code:    process.CodeOwned,
		Message: fmt.Sprintf("the data directory %s is in use by %s", dir, by),
		Hint:    "stop it first, or use another data directory",
	}
}

func readHolder(f *os.File) (Holder, bool) {
	b, err := io.ReadAll(io.NewSectionReader(f, 0, 64<<10))
	if err != nil {
		return Holder{}, false
	}
	var h Holder
	err = json.Unmarshal(b, &h)
	return h, err == nil && h.PID > 0
}

// Close gives the directory up. It may be called again.
func (l *Lock) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	f := l.file
	l.file = nil
	// A stale name would only mislead people who look. The lock is dropped
	// before its descriptor is: a child that is being started has a copy.
	err := f.Truncate(0)
	unlock(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("unlock data directory: %w", err)
	}
	return nil
}
