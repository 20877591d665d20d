package confine

import (
	"syscall"
	"unsafe"
)

// Rights on files, by the version of Landlock that brought them.
const (
	llExecute = 1 << iota
	llWriteFile
	llReadFile
	llReadDir
	llRemoveDir
	llRemoveFile
	llMakeChar
	llMakeDir
	llMakeReg
	llMakeSock
	llMakeFifo
	llMakeBlock
	llMakeSym
	llRefer    // 2
	llTruncate // 3
	llIoctlDev // 5

	llRead  = llExecute | llReadFile | llReadDir
	llMake  = llRemoveDir | llRemoveFile | llMakeDir | llMakeReg | llMakeSock | llMakeFifo | llMakeSym | llRefer
	llWrite = llWriteFile | llTruncate | llIoctlDev
	llAll   = llRead | llWrite | llMake | llMakeChar | llMakeBlock
	llFile  = llExecute | llReadFile | llWriteFile | llTruncate | llIoctlDev // what a rule for a file may hold

	llScopeAbstract = 1
	llScopeSignal   = 2
)

type rulesetAttr struct{ fs, net, scoped uint64 }

// rules is a set of Landlock rules that is not in force yet.
type rules struct {
	fd   int
	abi  int
	mask uint64 // the rights this kernel knows
}

func landlockVersion() (int, error) {
	n, _, e := syscall.RawSyscall(sysLandlockCreate, 0, 0, 1)
	return int(n), asError(e)
}

// newRules forbids everything this kernel's Landlock can, but for the network.
func newRules() (*rules, error) {
	abi, err := landlockVersion()
	if err != nil {
		return nil, err
	}
	r := &rules{abi: abi, mask: llAll}
	attr := rulesetAttr{scoped: llScopeAbstract | llScopeSignal}
	size := unsafe.Sizeof(attr)
	if abi < 6 {
		size -= 8
	}
	if abi < 5 {
		r.mask &^= llIoctlDev
	}
	if abi < 4 {
		size -= 8
	}
	if abi < 3 {
		r.mask &^= llTruncate
	}
	if abi < 2 {
		r.mask &^= llRefer
	}
	attr.fs = r.mask
	fd, _, e := syscall.RawSyscall(sysLandlockCreate, uintptr(unsafe.Pointer(&attr)), size, 0)
	if e != 0 {
		return nil, e
	}
	r.fd = int(fd)
	syscall.CloseOnExec(r.fd)
	return r, nil
}

// allow lets rights hold below a path. One that is not there needs no rule.
func (r *rules) allow(path string, rights uint64) error {
	fd, err := openPath(path, 0)
	if err != nil {
		return nil
	}
	defer syscall.Close(fd)
	return r.allowFD(fd, rights)
}

func (r *rules) allowFD(fd int, rights uint64) error {
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFDIR {
		rights &= llFile
	}
	attr := struct { // packed: 12 bytes count
		rights uint64
		parent int32
	}{rights & r.mask, int32(fd)}
	_, _, e := syscall.RawSyscall6(sysLandlockAdd, uintptr(r.fd), 1, uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	return asError(e)
}

// restrict puts the rules in force for this thread.
func (r *rules) restrict() error {
	_, _, e := syscall.RawSyscall(sysLandlockSelf, uintptr(r.fd), 0, 0)
	syscall.Close(r.fd)
	return asError(e)
}

// filesOf are the rules of a plan: a confined program reads what its user may
// and writes in a few places; a sandboxed one has the system's folders besides
// its own.
func filesOf(p *Plan, ownRoot bool, files []int) (*rules, error) {
	r, err := newRules()
	if err != nil {
		return nil, err
	}
	type rule struct {
		path   string
		rights uint64
	}
	var all []rule
	const full = llRead | llWrite | llMake
	devices := []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}
	switch {
	case p.Kind != Sandbox:
		all = append(all, rule{"/", llRead}, rule{"/tmp", full}, rule{"/var/tmp", full}, rule{"/dev/shm", full})
		devices = append(devices, "/dev/ptmx", "/dev/pts")
	case ownRoot: // which shows nothing else
		all = append(all, rule{"/", llRead}, rule{"/tmp", full})
	default:
		for _, path := range append(append([]string{"/proc"}, systemFolders...), systemEtc...) {
			all = append(all, rule{path, llRead})
		}
	}
	for _, d := range devices {
		all = append(all, rule{d, llReadFile | llReadDir | llWrite})
	}
	if p.Work != "" {
		all = append(all, rule{p.Work, full})
	}
	for _, a := range all {
		if err := r.allow(a.path, a.rights); err != nil {
			syscall.Close(r.fd)
			return nil, err
		}
	}
	for _, fd := range files {
		// So that /dev/stdout can be opened again; a pipe needs no rule and
		// takes none.
		_ = r.allowFD(fd, reopening(fd))
	}
	return r, nil
}

// reopening are the rights a descriptor gives already.
func reopening(fd int) uint64 {
	flags, _, e := syscall.RawSyscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFL, 0)
	if e != 0 {
		return 0
	}
	switch flags & syscall.O_ACCMODE {
	case syscall.O_RDONLY:
		return llReadFile
	case syscall.O_WRONLY:
		return llWriteFile | llTruncate
	}
	return llReadFile | llWriteFile | llTruncate
}
