package confine

import (
	"errors"
	"syscall"
	"unsafe"
)

// Where the kernel puts the parts of a system call, on a little-endian machine.
const (
	atNumber = 0
	atArch   = 4
)

func atArg(n int) uint32 { return uint32(16 + 8*n) }

const (
	retAllow = 0x7fff0000
	retErrno = 0x00050000

	newSpaces = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET |
		syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS | 0x02000000 | 0x80 // cgroup, time
	specialBits = syscall.S_ISUID | syscall.S_ISGID
)

// code is a filter program under construction.
type code []syscall.SockFilter

func (c *code) add(op uint16, k uint32, yes, no uint8) {
	*c = append(*c, syscall.SockFilter{Code: op, K: k, Jt: yes, Jf: no})
}

func (c *code) load(at uint32)    { c.add(syscall.BPF_LD|syscall.BPF_W|syscall.BPF_ABS, at, 0, 0) }
func (c *code) answer(ret uint32) { c.add(syscall.BPF_RET|syscall.BPF_K, ret, 0, 0) }

func (c *code) refuse(e syscall.Errno) { c.answer(retErrno | uint32(e)) }

// The tests skip so many instructions if they fail.
func (c *code) ifEqual(k uint32, skip uint8) {
	c.add(syscall.BPF_JMP|syscall.BPF_JEQ|syscall.BPF_K, k, 0, skip)
}
func (c *code) ifAny(k uint32, skip uint8) {
	c.add(syscall.BPF_JMP|syscall.BPF_JSET|syscall.BPF_K, k, 0, skip)
}

// deny refuses a call whatever its arguments.
func (c *code) deny(call uint32, e syscall.Errno) {
	c.ifEqual(call, 1)
	c.refuse(e)
}

// denyBits refuses a call if an argument has any of some bits.
func (c *code) denyBits(call uint32, arg int, bits uint32) {
	c.ifEqual(call, 4)
	c.load(atArg(arg))
	c.ifAny(bits, 1)
	c.refuse(syscall.EPERM)
	c.answer(retAllow)
}

// denySpecialOpen refuses to create a file with the bits of a set-user-id
// program; without O_CREAT the mode is whatever is in the register.
func (c *code) denySpecialOpen(call uint32, flags, mode int) {
	const creates = syscall.O_CREAT | 0x400000 // O_TMPFILE
	c.ifEqual(call, 6)
	c.load(atArg(flags))
	c.ifAny(creates, 3)
	c.load(atArg(mode))
	c.ifAny(specialBits, 1)
	c.refuse(syscall.EPERM)
	c.answer(retAllow)
}

// sockets lets only some families through, and no raw ones.
func (c *code) sockets(families []uint32) {
	const typeMask, raw, packet = 0xf, 3, 10
	var s code
	s.load(atArg(1))
	s.add(syscall.BPF_ALU|syscall.BPF_AND|syscall.BPF_K, typeMask, 0, 0)
	s.ifEqual(raw, 3)
	// Netlink sockets are raw by nature.
	s.load(atArg(0))
	s.add(syscall.BPF_JMP|syscall.BPF_JEQ|syscall.BPF_K, syscall.AF_NETLINK, 1, 0)
	s.refuse(syscall.EPERM)
	s.ifEqual(packet, 1)
	s.refuse(syscall.EPERM)
	s.load(atArg(0))
	for _, f := range families {
		s.ifEqual(f, 1)
		s.answer(retAllow)
	}
	s.refuse(syscall.EAFNOSUPPORT)
	c.ifEqual(callSocket, uint8(len(s)))
	*c = append(*c, s...)
}

// ioctls keeps a program from typing into a terminal that others read.
func (c *code) ioctls() {
	const tiocsti, tioclinux = 0x5412, 0x541c
	c.ifEqual(callIoctl, 6)
	c.load(atArg(1))
	c.ifEqual(tiocsti, 1)
	c.refuse(syscall.EPERM)
	c.ifEqual(tioclinux, 1)
	c.refuse(syscall.EPERM)
	c.answer(retAllow)
}

// filter is what a plan forbids. tracing says that other means keep a tracer
// to its own; network, that a namespace does so with the network.
func filter(p *Plan, tracing, network bool) code {
	var c code
	c.load(atArch)
	c.add(syscall.BPF_JMP|syscall.BPF_JEQ|syscall.BPF_K, auditArch, 1, 0)
	c.refuse(syscall.EPERM) // programs of another architecture have other numbers
	c.load(atNumber)
	if x32Bit != 0 {
		c.ifAny(x32Bit, 1)
		c.refuse(syscall.ENOSYS)
	}
	for _, n := range deniedCalls {
		c.deny(n, syscall.EPERM)
	}
	if p.Kind == Sandbox {
		for _, n := range deniedInSandbox {
			c.deny(n, syscall.EPERM)
		}
	}
	if p.Kind == Sandbox || !tracing {
		for _, n := range tracingCalls {
			c.deny(n, syscall.EPERM)
		}
	}
	// Their arguments are in memory, where a filter cannot look; who calls
	// them falls back to older ones.
	c.deny(sysClone3, syscall.ENOSYS)
	c.deny(sysOpenat2, syscall.ENOSYS)
	c.denyBits(syscall.SYS_CLONE, 0, newSpaces)
	c.denyBits(syscall.SYS_UNSHARE, 0, newSpaces)
	for _, m := range modeCalls {
		c.denyBits(m.call, m.arg, specialBits)
	}
	for _, m := range openCalls {
		c.denySpecialOpen(m.call, m.arg, m.arg+1)
	}
	families := []uint32{syscall.AF_UNIX, syscall.AF_INET, syscall.AF_INET6, syscall.AF_NETLINK}
	if p.Kind == Sandbox && !network {
		families = families[:1]
	}
	c.sockets(families)
	c.ioctls()
	c.answer(retAllow)
	return c
}

// install puts a filter in force for this thread.
func (c code) install() error {
	if auditArch == 0 {
		return errors.New("no filter was written for this architecture")
	}
	prog := syscall.SockFprog{Len: uint16(len(c)), Filter: &c[0]}
	const setModeFilter = 1
	_, _, e := syscall.RawSyscall(sysSeccomp, setModeFilter, 0, uintptr(unsafe.Pointer(&prog)))
	return asError(e)
}

// argCall is a call and the number of the argument that matters.
type argCall struct {
	call uint32
	arg  int
}

// deniedCalls are those that change the machine, or reach into its kernel.
var deniedCalls = append([]uint32{
	syscall.SYS_MOUNT, syscall.SYS_UMOUNT2, syscall.SYS_PIVOT_ROOT, syscall.SYS_CHROOT, syscall.SYS_SWAPON, syscall.SYS_SWAPOFF,
	sysOpenTree, sysMoveMount, 430, 431, 432, 433, sysMountSetattr, 467, // fsopen fsconfig fsmount fspick open_tree_attr
	syscall.SYS_REBOOT, syscall.SYS_ACCT, syscall.SYS_QUOTACTL, 443, syscall.SYS_SYSLOG, syscall.SYS_VHANGUP,
	syscall.SYS_SETTIMEOFDAY, syscall.SYS_CLOCK_SETTIME, syscall.SYS_ADJTIMEX, syscall.SYS_SETHOSTNAME, syscall.SYS_SETDOMAINNAME,
	syscall.SYS_INIT_MODULE, syscall.SYS_DELETE_MODULE, syscall.SYS_KEXEC_LOAD,
	syscall.SYS_ADD_KEY, syscall.SYS_REQUEST_KEY, syscall.SYS_KEYCTL, syscall.SYS_PERF_EVENT_OPEN, syscall.SYS_FANOTIFY_INIT,
	425, 426, 427, // io_uring
}, deniedHere...)

// tracingCalls look into other processes.
var tracingCalls = append([]uint32{syscall.SYS_PTRACE, sysPidfdGetfd}, tracingHere...)

// deniedInSandbox are those a program without a machine has no use for:
// memfd_secret, statmount, listmount, lsm_…
var deniedInSandbox = []uint32{447, 457, 458, 459, 460, 461}
