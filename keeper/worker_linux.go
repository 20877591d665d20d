package keeper

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper/internal/subreaper"
)

// worker is a subreaper process and the host's end of its connection.
type worker struct {
	ctl  *os.File
	proc *child
}

// end dismisses a worker that has no job.
func (w *worker) end() {
	w.ctl.Close()
	_, _ = w.proc.wait()
	w.proc.close()
}

// give sends an order and the job's files.
func (w *worker) give(order *os.File, files [3]*os.File) error {
	fds := []int{int(order.Fd())}
	for _, f := range files {
		fds = append(fds, int(f.Fd())) // Fd also makes it blocking, as a child expects
	}
	rc, err := w.ctl.SyscallConn()
	if err != nil {
		return err
	}
	var bad error
	err = rc.Control(func(fd uintptr) {
		bad = unix.Sendmsg(int(fd), subreaper.Message{Kind: subreaper.Start}.Encode(), unix.UnixRights(fds...), nil, unix.MSG_NOSIGNAL)
	})
	return errors.Join(err, bad)
}

// launch starts a worker.
func (h *subreaperHolder) launch() (*worker, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	theirs := os.NewFile(uintptr(pair[1]), "control")
	defer theirs.Close()
	if err := unix.SetNonblock(pair[0], true); err != nil {
		unix.Close(pair[0])
		return nil, err
	}
	w := &worker{ctl: os.NewFile(uintptr(pair[0]), "control")}
	w.proc, err = forkExec(&command{
		path: subreaper.Self, argv: []string{subreaper.Name},
		env:   []string{subreaper.Proof, "GOMAXPROCS=1", "GOTRACEBACK=none"},
		files: [3]*os.File{h.null, h.null, h.null},
	}, &syscall.SysProcAttr{Setsid: h.group}, theirs)
	if err != nil {
		w.ctl.Close()
		return nil, errors.Unwrap(err)
	}
	return w, nil
}

// memoryFile returns an anonymous file with a content.
func memoryFile(b []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("reeve-order", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "order")
	if _, err := f.Write(b); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
