package keeper

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/reeverun/reeve/process"
)

const (
	// killCode is what a killed process exits with, as if by SIGKILL.
	killCode = 137
	// lookAgain is how long a message of the completion port may be missing
	// before the tree is looked at without one.
	lookAgain = time.Second
)

// jobTree is a tree in a Job Object.
type jobTree struct {
	holder *jobHolder
	key    uintptr
	job    windows.Handle
	pid    uint32
	leader windows.Handle

	nudged chan struct{}
	quit   chan struct{}
	once   sync.Once // closes quit
	killed atomic.Bool

	mu    sync.RWMutex // held for writing while the handles are closed
	freed bool
	last  Usage
}

func (t *jobTree) nudge() {
	select {
	case t.nudged <- struct{}{}:
	default:
	}
}

// await returns when a condition holds. It looks at every message, and now and
// then without one.
func (t *jobTree) await(ok func() bool) error {
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for !ok() {
		select {
		case <-t.nudged:
		case <-tick.C:
		case <-t.quit:
			return ErrLost
		}
	}
	return nil
}

func (t *jobTree) waitLeader() (Exit, error) {
	if err := t.await(func() bool {
		ev, err := windows.WaitForSingleObject(t.leader, 0)
		return err == nil && ev == windows.WAIT_OBJECT_0
	}); err != nil {
		return Exit{}, err
	}
	var code uint32
	if err := windows.GetExitCodeProcess(t.leader, &code); err != nil {
		return Exit{}, ErrLost
	}
	if code == killCode && t.killed.Load() {
		return Exit{Code: killCode, Signal: "SIGKILL"}, nil
	}
	return Exit{Code: int(code)}, nil
}

func (t *jobTree) waitEmpty() error { return t.await(t.emptyNow) }

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
type accounting struct {
	userTime, kernelTime             int64 // in units of 100 ns
	thisPeriodUser, thisPeriodKernel int64
	pageFaults                       uint32
	total, active, terminated        uint32
}

func (t *jobTree) account() (accounting, error) {
	var a accounting
	err := t.query(windows.JobObjectBasicAccountingInformation, unsafe.Pointer(&a), unsafe.Sizeof(a))
	return a, err
}

// query asks the Job Object, unless it has been freed.
func (t *jobTree) query(class int32, p unsafe.Pointer, size uintptr) error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.freed {
		return windows.ERROR_INVALID_HANDLE
	}
	return windows.QueryInformationJobObject(t.job, class, uintptr(p), uint32(size), nil)
}

func (t *jobTree) settle() {}

func (t *jobTree) emptyNow() bool {
	a, err := t.account()
	return err == nil && a.active == 0
}

func (t *jobTree) kill() error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.freed {
		return nil
	}
	t.killed.Store(true)
	return windows.TerminateJobObject(t.job, killCode)
}

// signal sends CTRL_BREAK to the leader's group, the nearest there is to
// SIGTERM and SIGINT. It reaches programs that share this process's console;
// others can only be killed, which the error says.
func (t *jobTree) signal(s process.Signal) (int, error) {
	if err := windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, t.pid); err != nil {
		return 0, fmt.Errorf("send %v as ctrl-break: %w", s, err)
	}
	return len(t.members()), nil
}

// processList is JOBOBJECT_BASIC_PROCESS_ID_LIST with room for many.
type processList struct {
	assigned, listed uint32
	pids             [1024]uintptr
}

func (t *jobTree) members() []process.Survivor {
	var l processList
	err := t.query(windows.JobObjectBasicProcessIdList, unsafe.Pointer(&l), unsafe.Sizeof(l))
	if err != nil && err != windows.ERROR_MORE_DATA {
		return nil
	}
	var out []process.Survivor
	for _, pid := range l.pids[:min(int(l.listed), len(l.pids))] {
		out = append(out, process.Survivor{PID: int(pid), Command: imageName(uint32(pid))})
	}
	return out
}

func imageName(pid uint32) string {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return ""
	}
	defer windows.CloseHandle(h)
	var buf [windows.MAX_PATH]uint16
	n := uint32(len(buf))
	if err := windows.QueryFullProcessImageName(h, 0, &buf[0], &n); err != nil {
		return ""
	}
	return windows.UTF16ToString(buf[:n])
}

// usage is the Job Object's own account; the peak is that of its largest
// process.
func (t *jobTree) usage(live bool) Usage {
	a, err := t.account()
	if err != nil {
		t.mu.RLock()
		defer t.mu.RUnlock()
		return t.last
	}
	u := Usage{CPU: time.Duration(a.userTime+a.kernelTime) * 100}
	if live {
		u.PIDs = int(a.active)
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	if t.query(windows.JobObjectExtendedLimitInformation, unsafe.Pointer(&limits), unsafe.Sizeof(limits)) == nil {
		u.MaxRSS = int64(limits.PeakProcessMemoryUsed)
	}
	return u
}

// overran is not told: an allocation beyond the limit fails, and nobody is
// killed for it.
func (t *jobTree) overran() Limit { return "" }

func (t *jobTree) abandon() { t.once.Do(func() { close(t.quit) }) }

// free closes the Job Object, which kills what is left in it.
func (t *jobTree) free() {
	last := t.usage(false)
	t.holder.mu.Lock()
	delete(t.holder.trees, t.key)
	t.holder.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.freed {
		return
	}
	t.freed, t.last = true, last
	_ = windows.CloseHandle(t.job)
	if t.leader != 0 {
		_ = windows.CloseHandle(t.leader)
	}
}
