package confine

// What can be enforced. These are the words of a process's record, of require,
// and of the documentation.
const (
	NoNewPrivs     = "no-new-privs"
	NoCapabilities = "no-capabilities"
	Landlock       = "landlock"
	Seccomp        = "seccomp"
	OwnRoot        = "own-root"
	OwnProc        = "own-proc"
	OwnUser        = "unprivileged-user"
	NoNetwork      = "no-network"
	UserNamespace  = "user-namespace"
	MountNamespace = "mount-namespace"
	PidNamespace   = "pid-namespace"
	NetNamespace   = "net-namespace"
	IPCNamespace   = "ipc-namespace"
	UTSNamespace   = "uts-namespace"
	CgroupSpace    = "cgroup-namespace"
	OpenFiles      = "openFiles"
	CPU            = "cpu"
	Memory         = "memory"
	PIDs           = "pids"
	TreeKill       = "tree-kill"
)

// The kinds of confinement.
const (
	Trusted  = "trusted"
	Confined = "confined"
	Sandbox  = "sandbox"
)

// Names lists all of them.
func Names() []string {
	return []string{NoNewPrivs, NoCapabilities, Landlock, Seccomp, OwnRoot, OwnProc, OwnUser, NoNetwork,
		UserNamespace, MountNamespace, PidNamespace, NetNamespace, IPCNamespace, UTSNamespace, CgroupSpace,
		OpenFiles, CPU, Memory, PIDs, TreeKill}
}
