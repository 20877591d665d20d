package subreaper

import (
	"io"
	"os"
	"syscall"

	"github.com/reeverun/reeve/keeper/internal/confine"
)

// job is an order with the descriptors that came with it.
type job struct {
	Order
	file   *os.File // the order's own, which the report goes to
	files  []int    // the program's three
	report confine.Report
}

// maxFiles are the order, the program's three, and a user namespace.
const maxFiles = 5

// receiveOrder waits for the host's first message. A host that closes the
// connection instead has no job for us.
func receiveOrder() (*job, error) {
	var buf [Size]byte
	oob := make([]byte, syscall.CmsgSpace(4*maxFiles))
	var n, on int
	var err error
	for {
		n, on, _, _, err = syscall.Recvmsg(fdControl, buf[:], oob, syscall.MSG_CMSG_CLOEXEC)
		if err != syscall.EINTR {
			break
		}
	}
	if n == 0 || err != nil {
		syscall.Exit(0)
	}
	cmsgs, err := syscall.ParseSocketControlMessage(oob[:on])
	if err != nil || len(cmsgs) != 1 {
		return nil, syscall.EBADMSG
	}
	fds, err := syscall.ParseUnixRights(&cmsgs[0])
	if err != nil || len(fds) < 4 {
		return nil, syscall.EBADMSG
	}
	j := &job{file: os.NewFile(uintptr(fds[0]), "order"), files: fds[1:4]}
	b, err := io.ReadAll(io.NewSectionReader(j.file, 0, 1<<40))
	if err != nil {
		return nil, err
	}
	if j.Order, err = DecodeOrder(b); err == nil && j.Plan.IDMap != 0 {
		if len(fds) != maxFiles {
			return nil, syscall.EBADMSG
		}
		j.Plan.IDMap = fds[4]
	}
	return j, err
}

// confine carries the plan out. A worker without one stays where it is, and as
// it is.
func (j *job) confine() {
	if j.Plan.Empty() {
		return
	}
	var err error
	j.report, err = j.Plan.Apply(j.Dir, j.files)
	if err != nil {
		j.failed(j.report.Step, err)
	}
	j.tell()
}

// tell writes the report over the order.
func (j *job) tell() {
	b := j.report.Encode()
	if j.file.Truncate(0) == nil {
		_, _ = j.file.WriteAt(b, 0)
	}
}

// failed tells the host which step failed, and ends.
func (j *job) failed(step string, err error) {
	j.report.Step = step
	j.tell()
	e, ok := err.(syscall.Errno)
	if !ok {
		e = syscall.EPERM
	}
	fail(e)
}

// become replaces this program by the job's.
func (j *job) become() {
	for i, fd := range j.files {
		if err := syscall.Dup3(fd, i, 0); err != nil {
			j.failed(confine.StepExec, err)
		}
	}
	if j.Plan.Empty() && j.Dir != "" {
		if err := syscall.Chdir(j.Dir); err != nil {
			j.failed(confine.StepDir, err)
		}
	}
	if j.TTY {
		if err := ownTerminal(); err != nil {
			j.failed(confine.StepExec, err)
		}
	}
	j.Plan.LimitData(0) // itself; what it needs from now on is little
	j.failed(confine.StepExec, syscall.Exec(j.Path, j.Argv, j.Env))
}

// ownTerminal makes this process the leader of a session whose terminal is its
// stdin. A worker is born as one unless jobs stay in their host's session.
func ownTerminal() error {
	_, _ = syscall.Setsid()
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, 0, syscall.TIOCSCTTY, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// start starts the job with its three files, and closes them: a subreaper must
// not keep a pipe of the job's open. Seen from another pid namespace the
// leader's number means nothing, so there is a pidfd then.
func (r *reaper) start(j *job) (pid, pidfd int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	pidfd = -1
	attr := &syscall.ProcAttr{Dir: j.Dir, Env: j.Env, Sys: &syscall.SysProcAttr{Setsid: j.Session, Setctty: j.TTY}}
	if !j.Plan.Empty() {
		attr.Dir = "" // it is where this process is
	}
	if r.self == 1 {
		attr.Sys.PidFD = &pidfd
	}
	for _, fd := range j.files {
		attr.Files = append(attr.Files, uintptr(fd))
	}
	pid, err = syscall.ForkExec(j.Path, j.Argv, attr)
	for _, fd := range j.files {
		syscall.Close(fd)
	}
	if err != nil {
		return 0, -1, err
	}
	j.Plan.LimitData(pid)
	j.file.Close()
	_ = syscall.Chdir("/") // nobody shall find the folder in use
	r.leader, r.group = pid, j.Session
	return pid, pidfd, nil
}

// announce tells the host that the leader runs. With a pidfd, it waits until
// the host has looked at it: a leader that is not reaped keeps its number.
func announce(pid, pidfd int) {
	m := Message{Kind: Started, Value: int64(pid)}.Encode()
	if pidfd < 0 {
		if _, err := syscall.Write(fdControl, m); err != nil {
			return // obey will notice
		}
		return
	}
	_ = syscall.Sendmsg(fdControl, m, syscall.UnixRights(pidfd), nil, syscall.MSG_NOSIGNAL)
	syscall.Close(pidfd)
	var buf [Size]byte
	for {
		if _, err := syscall.Read(fdControl, buf[:]); err != syscall.EINTR {
			return // known, or the host is gone, which obey will notice
		}
	}
}
