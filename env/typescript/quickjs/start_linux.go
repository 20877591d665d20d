package quickjs

import (
	"os"
	"os/exec"
	"syscall"
)

// ownProgram is the file that this process runs, also when it was replaced since
// or lies where another user may not go.
func ownProgram() (string, error) { return "/proc/self/exe", nil }

// nobody is the user of children where this process may choose one.
const nobody = 65534

// starter is how the operating system is asked for a child: as which user, and
// in which namespaces.
type starter struct {
	flags uintptr // namespaces, CLONE_NEW…
	user  bool    // become nobody
	maps  bool    // map the user in a namespace of its own
}

const emptyNamespaces = syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS

// starters are tried in this order: the most confined first.
func starters() []starter {
	if os.Geteuid() == 0 {
		return []starter{{flags: emptyNamespaces, user: true}, {user: true}, {flags: emptyNamespaces}, {}}
	}
	return []starter{{flags: emptyNamespaces | syscall.CLONE_NEWUSER, maps: true}, {}}
}

func (s starter) apply(cmd *exec.Cmd) {
	attr := &syscall.SysProcAttr{Setpgid: true, Cloneflags: s.flags}
	if s.user {
		attr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	if s.maps {
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Geteuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Getegid(), Size: 1}}
	}
	cmd.SysProcAttr = attr
}

func (s starter) confines() []string {
	var held []string
	if s.user {
		held = append(held, "unprivileged-user")
	}
	if s.maps {
		held = append(held, "user-namespace")
	}
	if s.flags&emptyNamespaces != 0 {
		held = append(held, "net-namespace", "ipc-namespace", "uts-namespace")
	}
	return held
}

// String says what was tried, for the list of what is missing.
func (s starter) String() string {
	switch {
	case s.flags != 0 && s.user:
		return "namespaces and another user"
	case s.flags != 0:
		return "namespaces"
	case s.user:
		return "another user"
	default:
		return "a plain process"
	}
}
