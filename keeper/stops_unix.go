//go:build unix

package keeper

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/reeverun/reeve/keeper/internal/procs"
)

// stops freezes a tree by SIGSTOP, which cannot be caught, for tiers without a
// freezer. It is used by one caller at a time. The zero value is ready.
type stops struct {
	sent map[int]procs.Stat // whom it has stopped: those who had stopped by themselves stay so
}

// cleanLooks is how often in a row all must be seen standing: at the first
// look a process seen later may have woken one seen before.
const cleanLooks = 2

// freeze stops what list shows, again and again, until all of it stands: what
// was born meanwhile, or woken by one still running, is found the next time.
func (f *stops) freeze(ctx context.Context, list func() ([]procs.Stat, error)) error {
	if f.sent == nil {
		f.sent = make(map[int]procs.Stat)
	}
	clean := 0
	return retry(ctx, func() (bool, error) {
		all, err := list()
		if err != nil {
			return false, err
		}
		clean++
		for _, s := range all {
			if !s.Alive() || s.Stopped() {
				continue
			}
			if !f.stands(s) {
				clean = 0
			}
			ok, err := procs.SignalStat(s, syscall.SIGSTOP)
			if err != nil {
				return false, fmt.Errorf("stop process %d: %w", s.PID, err)
			}
			if ok {
				f.sent[s.PID] = s
			}
		}
		return clean >= cleanLooks, nil
	})
}

// stands reports whether a process that has not stopped executes nothing all
// the same: it waits inside the kernel, with the SIGSTOP pending that meets it
// on its way out. The parent of a vfork waits so for a child that was stopped
// before it could exec, and would for ever.
func (f *stops) stands(s procs.Stat) bool {
	return s.State == 'D' && f.sent[s.PID].Start == s.Start
}

// thaw continues whom freeze has stopped. Nobody is born to a tree that
// stands, so there is nobody else.
func (f *stops) thaw() error {
	var errs []error
	for pid, s := range f.sent {
		if _, err := procs.SignalStat(s, syscall.SIGCONT); err != nil {
			errs = append(errs, err)
			continue
		}
		delete(f.sent, pid)
	}
	return errors.Join(errs...)
}
