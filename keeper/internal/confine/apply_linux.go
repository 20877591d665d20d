package confine

import (
	"errors"
	"syscall"
	"unsafe"
)

// ErrRequired says that something required is missing; the report names it.
var ErrRequired = errors.New("what is required is missing")

// What a report's Step may be.
const (
	StepDir     = "chdir"
	StepRequire = "require"
	StepLimit   = "limit"
	StepExec    = "exec"
)

// Apply carries the plan out on this thread, to which the caller is locked,
// and enters the directory. files are those the program gets. An error means
// that the program shall not run.
func (p *Plan) Apply(dir string, files []int) (Report, error) {
	var r Report
	if p.Kind != "" {
		for _, s := range split(p.Spaces) {
			r.held(s)
		}
		rooted := p.Kind == Sandbox && p.ownRoot(&r)
		if rooted && dir == "" {
			dir = "/tmp"
		}
		if err := enter(dir); err != nil {
			r.Step = StepDir
			return r, err
		}
		p.confine(&r, rooted, files)
	} else if err := enter(dir); err != nil {
		r.Step = StepDir
		return r, err
	}
	if err := p.limit(&r); err != nil {
		r.Step = StepLimit
		return r, err
	}
	if len(r.Lacking(p.Require)) > 0 {
		r.Step = StepRequire
		return r, ErrRequired
	}
	return r, nil
}

func enter(dir string) error {
	if dir == "" {
		return nil
	}
	return syscall.Chdir(dir)
}

// ownRoot reports whether the process has got a root of its own.
func (p *Plan) ownRoot(r *Report) bool {
	err := p.tryRoot(r)
	if err != nil && p.IDMap != 0 {
		// Nobody owns nothing then, so the program runs as the folder's owner,
		// root, without root's capabilities. Not every file system can have
		// its owners mapped, so it may be that alone that failed.
		r.lacks(OwnUser, err.Error())
		p.User, p.Group, p.IDMap = 0, 0, 0
		err = p.tryRoot(r)
	}
	r.tell(OwnRoot, err)
	return err == nil
}

func (p *Plan) tryRoot(r *Report) error {
	switch {
	case !p.born(MountNamespace):
		return errors.New("it needs a mount namespace")
	case p.off(OwnRoot):
		return errOff
	}
	return changeRoot(p, r)
}

// errOff is what a test finds in place of a feature.
var errOff = errors.New("switched off")

// confine takes the rights, in the only order that works: what opens files
// comes before the rights to open them are gone, and the filter last.
func (p *Plan) confine(r *Report, rooted bool, files []int) {
	if p.Kind == Sandbox {
		p.spaces(r)
	}
	rules, err := filesOf(p, rooted, files)
	if p.off(Landlock) {
		rules, err = nil, errOff
	}
	dropBounds()
	p.becomeUser(r)
	r.tell(NoCapabilities, dropCapabilities())
	_, bad := prctl(prSetNoNewPriv, 1, 0)
	r.tell(NoNewPrivs, bad)
	if err == nil {
		err = rules.restrict()
	}
	r.tell(Landlock, err)
	bad = errOff
	if !p.off(Seccomp) {
		bad = filter(p, err == nil, p.born(NetNamespace)).install()
	}
	r.tell(Seccomp, bad)
	if p.Kind == Sandbox {
		p.tellNetwork(r)
	}
}

// tellNetwork: a namespace keeps a program from every network, the filter from
// every socket of one.
func (p *Plan) tellNetwork(r *Report) {
	if p.born(NetNamespace) || r.holds(Seccomp) {
		r.held(NoNetwork)
		return
	}
	r.lacks(NoNetwork, "there is neither a net namespace nor a filter")
}

func (r *Report) tell(name string, err error) {
	if err != nil {
		r.lacks(name, err.Error())
		return
	}
	r.held(name)
}

func (p *Plan) becomeUser(r *Report) {
	if p.User == 0 {
		return
	}
	r.tell(OwnUser, become(p.User, p.Group))
}

// spaces finishes the namespaces this process was born in.
func (p *Plan) spaces(r *Report) {
	const newCgroup = 0x02000000
	_, _, e := syscall.RawSyscall(syscall.SYS_UNSHARE, newCgroup, 0, 0)
	r.tell(CgroupSpace, asError(e))
	if p.born(UTSNamespace) {
		_ = syscall.Sethostname([]byte(Sandbox))
	}
	if p.born(NetNamespace) {
		raiseLoopback() // without it there is just less network
	}
}

func raiseLoopback() {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer syscall.Close(fd)
	request := struct {
		name  [16]byte
		flags uint16
		_     [22]byte
	}{flags: syscall.IFF_UP | syscall.IFF_RUNNING}
	copy(request.name[:], "lo")
	_, _, _ = syscall.RawSyscall(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request)))
}

// LimitData limits the data of a process that has just been started, for whom
// a limit of the caller's own, which would be inherited, would be the end.
func (p *Plan) LimitData(pid int) {
	if p.Data > 0 {
		l := syscall.Rlimit{Cur: uint64(p.Data), Max: uint64(p.Data)}
		_, _, _ = syscall.RawSyscall6(sysPrlimit, uintptr(pid), syscall.RLIMIT_DATA, uintptr(unsafe.Pointer(&l)), 0, 0, 0)
	}
}

// limit sets the limits that are a process's own, and its children's.
func (p *Plan) limit(r *Report) error {
	for _, l := range []struct {
		name   string
		number int
		value  int64
		more   int64 // the hard limit above it, so that the warning comes first
	}{{OpenFiles, syscall.RLIMIT_NOFILE, p.OpenFiles, 0}, {"", syscall.RLIMIT_CPU, p.CPUTime, 1}} {
		if l.value <= 0 {
			continue
		}
		var now syscall.Rlimit
		if err := syscall.Getrlimit(l.number, &now); err != nil {
			return err
		}
		now.Max = min(now.Max, uint64(l.value+l.more))
		now.Cur = min(now.Max, uint64(l.value))
		if err := syscall.Setrlimit(l.number, &now); err != nil {
			return err
		}
		if l.name != "" {
			r.held(l.name)
		}
	}
	return nil
}
