package lab

import "syscall"

// openFiles lets what is started from now on have so many open files, or as many
// as may be, and returns how many that is. Who is root may raise the limit.
func openFiles(want uint64) uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	raised := syscall.Rlimit{Cur: max(want, limit.Cur), Max: max(want, limit.Max)}
	if syscall.Setrlimit(syscall.RLIMIT_NOFILE, &raised) == nil {
		return raised.Cur
	}
	limit.Cur = limit.Max
	if syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return limit.Cur
}
