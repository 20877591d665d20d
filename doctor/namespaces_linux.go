package doctor

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const namespaceAdvice = "Allow user namespaces: sysctl user.max_user_namespaces above 0; on Debian kernel.unprivileged_userns_clone=1; on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0 or a profile for reeve; in a container, a seccomp profile that lets clone(2) make them."

// namespace is one kind, tried inside a user namespace, which is how an
// ordinary user comes by it.
type namespace struct {
	name    string
	clone   uintptr // made with the child
	unshare uintptr // made by the child
	meaning string
	without string
}

func namespaces() []namespace {
	return []namespace{
		{name: "user", meaning: "An ordinary user can make the other namespaces.",
			without: "An ordinary user cannot make the other namespaces either."},
		// By unshare, since Go then also remounts the root: a mount is tried.
		{name: "mount", unshare: syscall.CLONE_NEWNS, meaning: "A program can have a file tree of its own.",
			without: "A program sees the file tree of all."},
		{name: "pid", clone: syscall.CLONE_NEWPID, meaning: "A program can be kept from seeing and signalling others.",
			without: "A program sees other processes, and may signal those of its user."},
		{name: "net", clone: syscall.CLONE_NEWNET, meaning: "A program can be kept from every network, loopback included.",
			without: "A program cannot be kept from the network by a namespace."},
		{name: "ipc", clone: syscall.CLONE_NEWIPC, meaning: "A program can be kept from shared memory of others.",
			without: "A program may reach shared memory of its user."},
	}
}

// try makes a child in the namespaces.
func (n namespace) try() error {
	return tryChild(&syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWUSER | n.clone, Unshareflags: n.unshare,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
	})
}

// noProgram cannot be executed, by an error nothing else on the way to
// executing it gives: a child that got as far has done all that was asked.
const noProgram = "/dev/null/reeve-doctor"

// tryChild makes a child that executes nothing.
func tryChild(sys *syscall.SysProcAttr) error {
	pid, err := syscall.ForkExec(noProgram, []string{"reeve-doctor"}, &syscall.ProcAttr{Sys: sys})
	if err == nil { // cannot be; but then it must not be left behind
		_ = syscall.Kill(pid, syscall.SIGKILL)
		_, err = syscall.Wait4(pid, nil, 0, nil)
		return errors.Join(errors.New("the probe found a program at "+noProgram), err)
	}
	if err == syscall.ENOTDIR {
		return nil
	}
	return err
}

func whyNoNamespace(err error) string {
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EUSERS) {
		return "no more namespaces of this kind are allowed (user.max_…_namespaces)"
	}
	return whyRefused(err)
}
