package subreaper

import (
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/reeverun/reeve/keeper/internal/confine"
	"github.com/reeverun/reeve/keeper/internal/procs"
)

const (
	prSetDumpable       = 4
	prSetChildSubreaper = 36
)

// reaper is the state of a subreaper.
type reaper struct {
	self   int
	buried chan struct{} // a child has been reaped

	// mu is held while a child is reaped and while children are signalled: a
	// child that is not reaped keeps its pid, so under mu a bare pid is safe.
	mu     sync.Mutex
	leader int  // 0 once reaped
	group  bool // the leader leads a process group
}

// run is the whole life of a subreaper. It does not return.
func run() {
	syscall.CloseOnExec(fdControl)
	// A job of the same user shall not read or trace its holder.
	_ = prctl(prSetDumpable, 0)
	if e := prctl(prSetChildSubreaper, 1); e != 0 {
		fail(e)
	}
	// Only the host ends a subreaper, and a handled signal is back to its
	// default in the job.
	signal.Notify(make(chan os.Signal, 1))

	// Confining is per thread: the program is made from this one. (Package
	// initialisation is locked to it anyway.)
	runtime.LockOSThread()
	r := &reaper{self: os.Getpid(), buried: make(chan struct{}, 1)}
	job, err := receiveOrder()
	if err != nil {
		fail(syscall.EBADMSG)
	}
	job.confine()
	if job.Path == "" { // only the report is wanted
		send(Message{Kind: Started})
		syscall.Exit(0)
	}
	if job.Exec {
		job.become()
	}
	hoardThreads()
	pid, pidfd, err := r.start(job)
	if err != nil {
		job.failed(confine.StepExec, err)
	}
	announce(pid, pidfd)
	go r.obey()
	r.reapAll()
	var ru syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &ru)
	send(consumed(Message{Kind: Empty}, &ru))
	syscall.Exit(0)
}

func prctl(option, value uintptr) syscall.Errno {
	_, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, option, value, 0, 0, 0, 0)
	return e
}

func fail(e syscall.Errno) {
	send(Message{Kind: Failed, Value: int64(e)})
	syscall.Exit(1)
}

// send tells the host; if it is gone, obey will notice.
func send(m Message) {
	for {
		if _, err := syscall.Write(fdControl, m.Encode()); err != syscall.EINTR {
			return
		}
	}
}

// reapAll buries children until there are none, orphans of the job included.
func (r *reaper) reapAll() {
	for {
		// Look first and reap under the lock: see mu.
		pid, _, _, err := procs.Waitid(procs.PAll, 0, procs.NoWait)
		if err != nil {
			return // ECHILD
		}
		r.bury(pid)
		select {
		case r.buried <- struct{}{}:
		default:
		}
	}
}

func (r *reaper) bury(pid int) {
	var ws syscall.WaitStatus
	var ru syscall.Rusage
	r.mu.Lock()
	defer r.mu.Unlock()
	if got, _ := syscall.Wait4(pid, &ws, syscall.WNOHANG, &ru); got != pid || pid != r.leader {
		return
	}
	r.leader = 0
	send(consumed(Message{Kind: Exited, Value: int64(ws)}, &ru))
}

// consumed adds what a rusage says. A peak no higher than our own says
// nothing: until exec, a child runs in its parent's memory.
func consumed(m Message, ru *syscall.Rusage) Message {
	m.CPU = time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err == nil && ru.Maxrss > own.Maxrss {
		m.MaxRSS = int64(ru.Maxrss) * 1024
	}
	return m
}

// obey kills the tree when the host says so, or is gone.
func (r *reaper) obey() {
	buf := make([]byte, Size)
	for {
		n, err := syscall.Read(fdControl, buf)
		if err == syscall.EINTR {
			continue
		}
		if m, bad := Decode(buf[:max(n, 0)]); bad == nil && m.Kind != Kill {
			continue
		}
		r.killAll()
	}
}
