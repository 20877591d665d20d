package quickjs

import (
	"fmt"
	"os"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// confine takes from this process what a program shall not have, for good. It
// says what it could do, and what it could not and why.
func confine() (confined, missing []string) {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		missing = append(missing, fmt.Sprintf("no-new-privs: %v", err))
	} else {
		confined = append(confined, "no-new-privs")
	}
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // nobody else may look into it
	none := unix.Rlimit{}
	unix.Setrlimit(unix.RLIMIT_CORE, &none)
	unix.Setrlimit(unix.RLIMIT_FSIZE, &none)
	if err := filterCalls(); err != nil {
		return confined, append(missing, fmt.Sprintf("seccomp: %v", err))
	}
	confined = append(confined, "seccomp")
	missing = append(missing, "landlock: not used by the quickjs engine, whose system call filter opens no file")
	return confined, missing
}

// limitProcess bounds the process as a whole, beyond what QuickJS counts itself.
func limitProcess(heap uint64, cpu time.Duration) {
	if heap > 0 {
		// Go and QuickJS take some for themselves; this stops what escapes the
		// count, not the program that is just over its limit.
		data := dataSize() + 2*heap + 512<<20
		unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: data, Max: data})
	}
	if cpu > 0 {
		seconds := uint64(cpu/time.Second) + 2
		unix.Setrlimit(unix.RLIMIT_CPU, &unix.Rlimit{Cur: seconds, Max: seconds})
	}
}

// dataSize is what this process has mapped for data, about.
func dataSize() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}

// The parts of a system call that the filter looks at.
const (
	offsetNumber = 0
	offsetArch   = 4
	offsetArg0   = 16
)

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

// equal skips so many instructions if the value is k, or if it is not.
func equal(k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: yes, Jf: no, K: k}
}

func answer(k uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k}
}

const (
	allowCall   = unix.SECCOMP_RET_ALLOW
	killProcess = unix.SECCOMP_RET_KILL_PROCESS
	refuseCall  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	unknownCall = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

// filterCalls lets only those system calls through that a running Go program
// needs: memory, threads, clocks, and the descriptors it has. All others fail.
func filterCalls() error {
	if auditArch == 0 {
		return fmt.Errorf("no filter for %s", runtime.GOARCH)
	}
	program := []unix.SockFilter{load(offsetArch), equal(auditArch, 1, 0), answer(killProcess), load(offsetNumber)}
	for _, call := range allowedCalls() {
		program = append(program, equal(uint32(call), 0, 1), answer(allowCall))
	}
	program = append(program,
		equal(unix.SYS_CLONE3, 0, 1), answer(unknownCall), // C libraries then use clone, whose flags can be seen
		equal(unix.SYS_CLONE, 1, 0), answer(refuseCall),
		load(offsetArg0), // threads are made, processes are not
		unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jt: 0, Jf: 1, K: unix.CLONE_THREAD}, answer(allowCall),
		answer(refuseCall),
	)
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(program)
	if errno != 0 {
		return os.NewSyscallError("seccomp", errno)
	}
	if thread != 0 {
		return fmt.Errorf("thread %d could not be filtered", thread)
	}
	return nil
}

// allowedCalls are those of all architectures and this one's own; some have no
// mmap.
func allowedCalls() []int {
	return append([]int{
		unix.SYS_READ, unix.SYS_WRITE, unix.SYS_CLOSE,
		unix.SYS_MUNMAP, unix.SYS_MREMAP, unix.SYS_MADVISE, unix.SYS_MPROTECT, unix.SYS_BRK,
		unix.SYS_FUTEX, unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY, unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP,
		unix.SYS_CLOCK_GETTIME, unix.SYS_GETTIMEOFDAY, unix.SYS_GETRANDOM, unix.SYS_GETRUSAGE, unix.SYS_PRLIMIT64,
		unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK, unix.SYS_TGKILL,
		unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_RESTART_SYSCALL,
		unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EVENTFD2, unix.SYS_PPOLL, unix.SYS_FCNTL,
		unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
	}, archCalls()...)
}
