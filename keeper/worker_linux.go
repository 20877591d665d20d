package keeper

import (
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper/internal/confine"
	"github.com/reeverun/reeve/keeper/internal/subreaper"
)

// worker is a worker process and the host's end of its connection.
type worker struct {
	ctl   *os.File
	proc  *child
	bound bound // of what it starts
}

// end dismisses a worker that has no job.
func (w *worker) end() {
	w.ctl.Close()
	_, _ = w.proc.wait()
	w.proc.close()
}

// give sends an order, the job's files, and what else the order needs.
func (w *worker) give(order *os.File, files [3]*os.File, more []*os.File) error {
	fds := []int{int(order.Fd())}
	for _, f := range append(files[:], more...) {
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

// launch starts a worker in the bounds.
func (w *crew) launch(sys *syscall.SysProcAttr, d bound) (*worker, error) {
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
	k := &worker{ctl: os.NewFile(uintptr(pair[0]), "control"), bound: d}
	moved := d.inside(func() {
		k.proc, err = forkExec(&command{
			path: subreaper.Self, argv: []string{subreaper.Name},
			env:   []string{subreaper.Proof, "GOMAXPROCS=1", "GOTRACEBACK=none"},
			files: [3]*os.File{w.null, w.null, w.null},
		}, sys, theirs)
	})
	if moved != nil {
		err = &SpawnError{Op: OpConfine, Path: "cgroup", Err: moved}
	}
	if err != nil {
		k.ctl.Close()
		return nil, errors.Unwrap(err)
	}
	return k, nil
}

// begun is a worker's first answer.
type begun struct {
	pid    int // of the leader it holds, as the host sees it
	report confine.Report
}

// hear waits for the first answer. The report is written over the order.
func (w *worker) hear(order *os.File) (b begun, step string, err error) {
	m, pidfd, err := w.receiveFirst()
	if pidfd != nil {
		defer pidfd.Close()
	}
	text, _ := io.ReadAll(io.NewSectionReader(order, 0, 1<<20))
	var reported error
	b.report, reported = confine.DecodeReport(text)
	switch {
	case errors.Is(err, io.EOF) && reported == nil:
		return b, "", nil // it has become the program
	case err != nil:
		return b, "", ErrLost
	case m.Kind == subreaper.Failed:
		return b, b.report.Step, syscall.Errno(m.Value)
	case m.Kind != subreaper.Started:
		return b, "", ErrLost
	}
	b.pid = int(m.Value)
	if pidfd != nil {
		b.pid = pidBehind(pidfd)
		_, err = w.ctl.Write(subreaper.Message{Kind: subreaper.Known}.Encode())
	}
	return b, "", err
}

// receiveFirst receives a message that may come with a pidfd.
func (w *worker) receiveFirst() (m subreaper.Message, pidfd *os.File, err error) {
	rc, err := w.ctl.SyscallConn()
	if err != nil {
		return m, nil, err
	}
	buf, oob := make([]byte, subreaper.Size), make([]byte, unix.CmsgSpace(4))
	var n, on int
	var bad error
	err = rc.Read(func(fd uintptr) bool {
		n, on, _, _, bad = unix.Recvmsg(int(fd), buf, oob, unix.MSG_CMSG_CLOEXEC)
		return bad != unix.EAGAIN && bad != unix.EINTR
	})
	if err = errors.Join(err, bad); err != nil {
		return m, nil, err
	}
	if n == 0 {
		return m, nil, io.EOF
	}
	if cmsgs, err := unix.ParseSocketControlMessage(oob[:on]); err == nil && len(cmsgs) == 1 {
		if fds, err := unix.ParseUnixRights(&cmsgs[0]); err == nil && len(fds) == 1 {
			pidfd = os.NewFile(uintptr(fds[0]), "pidfd")
		}
	}
	m, err = subreaper.Decode(buf[:n])
	return m, pidfd, err
}

// pidBehind is the number that a process has in this pid namespace.
func pidBehind(pidfd *os.File) int {
	data, _ := os.ReadFile("/proc/self/fdinfo/" + strconv.Itoa(int(pidfd.Fd())))
	for line := range strings.Lines(string(data)) {
		if v, ok := strings.CutPrefix(line, "Pid:"); ok {
			pid, _ := strconv.Atoi(strings.TrimSpace(v))
			return pid
		}
	}
	return 0
}

// settle takes over what a worker reports, or says why the job did not start.
func (c *command) settle(b begun, step string, err error) error {
	for _, name := range b.report.Held {
		c.told.hold(name)
	}
	for _, l := range b.report.Missing {
		c.told.lack(l.Name, l.Reason)
	}
	if err == nil {
		return nil
	}
	if lacking := c.told.lacking(c.workersPart()); step == confine.StepRequire && len(lacking) > 0 {
		return c.refuse(lacking)
	}
	switch {
	case step == confine.StepDir:
		return &SpawnError{Op: OpChdir, Path: c.dir, Err: err}
	case step == confine.StepLimit:
		return &SpawnError{Op: OpConfine, Path: c.path, Err: err}
	case errors.Is(err, ErrLost):
		return &SpawnError{Op: OpHold, Path: subreaper.Name, Err: err, Hint: "a start takes a few MiB of memory and some processes: a limit may be too low for it"}
	case c.sandbox == Sandboxed && err == syscall.ENOENT:
		return &SpawnError{Op: OpExec, Path: c.path, Err: err,
			Hint: "a sandbox shows the work folder and the system's folders, such as /usr and /bin, and nothing else"}
	}
	return c.explain(err)
}

// anonymous returns a file in memory with a content.
func anonymous(b []byte) (*os.File, error) {
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
