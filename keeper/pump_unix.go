//go:build unix

package keeper

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// pumpBuffer is as much as a terminal ever gives at once.
const pumpBuffer = 4096

// pumpFor is how long the pump of an ended tree may take to empty the
// terminal. It ends by itself unless a stranger holds the terminal open.
const pumpFor = 2 * time.Second

// pump writes what a terminal shows to a file. What the file does not take,
// because the disk is full, is lost: a program must not hang for it.
type pump struct {
	from    *os.File
	to      *os.File // ours; nil: nowhere
	started bool
	done    chan struct{} // closed when the terminal has ended
}

func newPump(from, to *os.File) (*pump, error) {
	p := &pump{from: from, done: make(chan struct{})}
	if to == nil {
		return p, nil
	}
	var err error
	p.to, err = duplicate(to)
	return p, err
}

// duplicate returns a file that is the caller's own, blocking or not as f is.
func duplicate(f *os.File) (*os.File, error) {
	fd, err := duplicateFD(f)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

func duplicateFD(f *os.File) (int, error) {
	rc, err := f.SyscallConn()
	if err != nil {
		return -1, err
	}
	fd, bad := -1, error(nil)
	err = rc.Control(func(old uintptr) { fd, bad = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 0) })
	return fd, errors.Join(err, bad)
}

func (p *pump) start() {
	p.started = true
	go p.run()
}

// run ends with EIO, by which a terminal says that nobody has it open.
func (p *pump) run() {
	defer close(p.done)
	buf := make([]byte, pumpBuffer)
	for {
		n, err := p.from.Read(buf)
		if n > 0 && p.to != nil {
			_, _ = p.to.Write(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

// finish waits for the end of what the terminal shows.
func (p *pump) finish() {
	defer time.AfterFunc(pumpFor, p.stop).Stop()
	<-p.done
}

func (p *pump) stop() {
	_ = p.from.SetReadDeadline(time.Unix(1, 0))
	if p.to != nil {
		_ = p.to.SetWriteDeadline(time.Unix(1, 0)) // of a pipe; a file takes what it gets
	}
}

func (p *pump) finished() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// close ends the pump and waits for it. The terminal is its input's to close.
func (p *pump) close() {
	if p.started {
		p.stop()
		<-p.done
	}
	if p.to != nil {
		p.to.Close()
	}
}

// terminalTree is a tree with a terminal: it is not said to be empty before
// all it showed is in the file.
type terminalTree struct {
	tree
	pump *pump
}

func (t *terminalTree) waitEmpty() error {
	err := t.tree.waitEmpty()
	t.pump.finish()
	return err
}

func (t *terminalTree) emptyNow() bool { return t.tree.emptyNow() && t.pump.finished() }

func (t *terminalTree) abandon() {
	t.tree.abandon()
	t.pump.stop()
}

func (t *terminalTree) free() {
	t.pump.close()
	t.tree.free()
}
