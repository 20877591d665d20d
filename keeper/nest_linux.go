package keeper

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper/internal/confine"
	"github.com/reeverun/reeve/keeper/internal/subreaper"
)

// nobody is the user of sandboxed jobs where this process may choose one.
const nobody = 65534

// nest knows which namespaces sandboxed jobs can be born in, here and for this
// user. It finds out when it is first asked. Root makes them directly; anybody
// else, and a root without rights, by way of a user namespace, in which the
// job's holder has the rights to furnish the others.
type nest struct {
	without []string // what a test wants to see missing

	once   sync.Once
	user   bool // by a user namespace
	flags  uintptr
	spaces []string
	lacks  []confine.Lack

	mapOnce sync.Once
	ids     *os.File // a user namespace that shows root's files as nobody's
	idsErr  error
}

type space struct {
	name string
	flag uintptr
}

func allSpaces() []space {
	return []space{{confine.MountNamespace, unix.CLONE_NEWNS}, {confine.PidNamespace, unix.CLONE_NEWPID},
		{confine.NetNamespace, unix.CLONE_NEWNET}, {confine.IPCNamespace, unix.CLONE_NEWIPC}, {confine.UTSNamespace, unix.CLONE_NEWUTS}}
}

// find tries the namespaces by making children in them.
func (n *nest) find() {
	n.once.Do(func() {
		if os.Geteuid() == 0 {
			n.try()
		}
		if len(n.spaces) == 0 && !n.off(confine.UserNamespace) {
			n.user, n.lacks = true, nil
			n.try()
		}
		if n.user && len(n.spaces) > 0 {
			n.spaces = append([]string{confine.UserNamespace}, n.spaces...)
		}
		if os.Geteuid() != 0 && len(n.spaces) == 0 {
			n.user = false
		}
	})
}

// try tries each namespace alone: what is refused is named.
func (n *nest) try() {
	for _, s := range allSpaces() {
		err := errors.New("switched off")
		if !n.off(s.name) {
			err = tryBirth(n.attr(s.flag))
		}
		if err != nil {
			n.lacks = append(n.lacks, confine.Lack{Name: s.name, Reason: err.Error()})
			continue
		}
		n.flags |= s.flag
		n.spaces = append(n.spaces, s.name)
	}
}

func (n *nest) off(name string) bool {
	for _, w := range n.without {
		if w == name {
			return true
		}
	}
	return false
}

// attr is how a child is born in namespaces.
func (n *nest) attr(flags uintptr) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Cloneflags: flags}
	if n.user {
		a.Cloneflags |= unix.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
		// What furnishing the namespaces takes, across the exec of the worker.
		a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP}
	}
	return a
}

// tryBirth makes a child that gets as far as executing nothing: the error it
// then ends with is given by nothing else on the way.
func tryBirth(a *syscall.SysProcAttr) error {
	pid, err := syscall.ForkExec("/dev/null/reeve", []string{subreaper.ProbeName}, &syscall.ProcAttr{Sys: a})
	if err == nil { // cannot be; but then it must not be left behind
		_ = syscall.Kill(pid, syscall.SIGKILL)
		_, err = syscall.Wait4(pid, nil, 0, nil)
		return errors.Join(syscall.EEXIST, err)
	}
	if err == syscall.ENOTDIR {
		return nil
	}
	return err
}

// born reports whether sandboxed jobs have a namespace.
func (n *nest) born(flag uintptr) bool {
	n.find()
	return n.flags&flag != 0
}

// any reports whether they have any.
func (n *nest) any() bool {
	n.find()
	return len(n.spaces) > 0
}

// idMap returns a user namespace by which a mount shows what root owns as
// nobody's, and has what nobody makes be root's.
func (n *nest) idMap() (*os.File, error) {
	n.mapOnce.Do(func() { n.ids, n.idsErr = makeIDMap() })
	return n.ids, n.idsErr
}

func makeIDMap() (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	one := []syscall.SysProcIDMap{{ContainerID: 0, HostID: nobody, Size: 1}}
	pid, err := syscall.ForkExec(subreaper.Self, []string{subreaper.ProbeName}, &syscall.ProcAttr{
		Env: []string{subreaper.Proof}, Files: []uintptr{r.Fd(), r.Fd(), r.Fd()},
		Sys: &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER, UidMappings: one, GidMappings: one},
	})
	if err != nil {
		w.Close()
		return nil, err
	}
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/ns/user")
	w.Close() // it ends
	_, waitErr := syscall.Wait4(pid, nil, 0, nil)
	return f, errors.Join(err, waitErr)
}

func (n *nest) close() {
	n.mapOnce.Do(func() { n.idsErr = os.ErrClosed })
	if n.ids != nil {
		n.ids.Close()
	}
}

// names joins what jobs are born in.
func (n *nest) names() string { return strings.Join(n.spaces, " ") }
