//go:build unix

package keeper

import (
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper/internal/procs"
	"github.com/reeverun/reeve/process"
)

// maxRounds bounds the listing of a tree that forks as fast as it is listed.
const maxRounds = 64

// signalEach signals every process that list shows, once, and lists again
// until it shows no new one, so that those born meanwhile are reached too.
// same must confirm that a pid still belongs to the tree once it is pinned by
// a pidfd.
func signalEach(list func() ([]int, error), same func(int) bool, sig syscall.Signal) (int, error) {
	seen := make(map[int]bool)
	reached := 0
	var first error
	for range maxRounds {
		pids, err := list()
		if err != nil {
			return reached, err
		}
		news := false
		for _, pid := range pids {
			if seen[pid] {
				continue
			}
			seen[pid], news = true, true
			ok, err := procs.Signal(pid, sig, same)
			if ok {
				reached++
			} else if err != nil && first == nil {
				first = err
			}
		}
		if !news {
			break
		}
	}
	return reached, first
}

// osSignal is the operating system's number of a signal.
func osSignal(s process.Signal) syscall.Signal {
	switch s {
	case process.SIGINT:
		return syscall.SIGINT
	case process.SIGKILL:
		return syscall.SIGKILL
	default:
		return syscall.SIGTERM
	}
}

func survivors(pids []int) []process.Survivor {
	var out []process.Survivor
	for _, pid := range pids {
		if st, err := procs.Read(pid); err != nil || !st.Alive() {
			continue
		}
		if name := procs.Name(pid); name != "" {
			out = append(out, process.Survivor{PID: pid, Command: name})
		}
	}
	return out
}

func exitOf(ws syscall.WaitStatus) Exit {
	if ws.Signaled() {
		return Exit{Code: 128 + int(ws.Signal()), Signal: unix.SignalName(ws.Signal())}
	}
	return Exit{Code: ws.ExitStatus()}
}
