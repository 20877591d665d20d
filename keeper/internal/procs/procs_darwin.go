package procs

import (
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// What P_stat may be.
const (
	stopped = 4 // SSTOP
	zombie  = 5 // SZOMB
)

func statOf(k *unix.KinfoProc) Stat {
	s := Stat{
		PID: int(k.Proc.P_pid), PPID: int(k.Eproc.Ppid), Group: int(k.Eproc.Pgid), State: 'R',
		Start: uint64(k.Proc.P_starttime.Sec)*1e6 + uint64(k.Proc.P_starttime.Usec),
	}
	switch k.Proc.P_stat {
	case stopped:
		s.State = 'T'
	case zombie:
		s.State = 'Z'
	}
	if sid, err := unix.Getsid(s.PID); err == nil {
		s.SID = sid
	}
	return s
}

// Read returns the stat of a process.
func Read(pid int) (Stat, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return Stat{}, err
	}
	if int(k.Proc.P_pid) != pid {
		return Stat{}, syscall.ESRCH
	}
	return statOf(k), nil
}

// All returns every process there is.
func All() ([]Stat, error) {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	all := make([]Stat, len(list))
	for i := range list {
		all[i] = statOf(&list[i])
	}
	return all, nil
}

// arguments returns what exec was given: the number of arguments, the path,
// the arguments and the environment, separated by NUL bytes. It is refused for
// processes of other users.
func arguments(pid int) string {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(raw) < 4 {
		return ""
	}
	return string(raw[4:])
}

// Name is the path of a process's program and its arguments, shortened; empty
// when it is gone.
func Name(pid int) string {
	if line := arguments(pid); line != "" {
		return shorten(strings.Join(strings.FieldsFunc(line[:min(len(line), maxName)], func(r rune) bool { return r == 0 }), " "))
	}
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return ""
	}
	return "[" + unix.ByteSliceToString(k.Proc.P_comm[:]) + "]"
}

// HasEnv reports whether a process was started with the environment entry
// key=value, where value may also be one of several joined by colons.
func HasEnv(pid int, key, value string) bool {
	for entry := range strings.SplitSeq(arguments(pid), "\x00") {
		if carries(entry, key, value) {
			return true
		}
	}
	return false
}

// Signal signals a process if same confirms that it is the one meant. There is
// no pidfd here: between the two lies a moment in which the pid could, in
// theory, change hands.
func Signal(pid int, sig syscall.Signal, same func(pid int) bool) (bool, error) {
	if !same(pid) {
		return false, nil
	}
	switch err := syscall.Kill(pid, sig); err {
	case nil:
		return true, nil
	case syscall.ESRCH:
		return false, nil
	default:
		return false, err
	}
}

// SignalStat signals the very process that s was read from.
func SignalStat(s Stat, sig syscall.Signal) (bool, error) {
	return Signal(s.PID, sig, func(pid int) bool {
		now, err := Read(pid)
		return err == nil && now.Start == s.Start && now.Alive()
	})
}
