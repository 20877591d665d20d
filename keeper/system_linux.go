package keeper

import (
	"fmt"
	"math"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper/internal/subreaper"
)

// tiers are those of Linux, strongest first.
func tiers() []Tier { return []Tier{TierCgroup2, TierSubreaper, TierGroup} }

// open makes the holder of a tier and proves that it works.
func open(t Tier, o Options) (holder, error) {
	var h holder
	var err error
	switch t {
	case TierCgroup2:
		h, err = openCgroup(o)
	case TierSubreaper:
		h, err = openSubreaper(o)
	default:
		h, err = openGroup(o)
	}
	if err != nil {
		return nil, err
	}
	if err := tryOut(h); err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

const tryFor = 5 * time.Second

// tryOut starts a child of this very program that only waits, and kills it:
// versions and files tell less than doing it.
func tryOut(h holder) error {
	stdin, hold, err := os.Pipe() // the child ends with this process at the latest
	if err != nil {
		return err
	}
	defer stdin.Close()
	defer hold.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	t, _, err := h.start(&command{
		path: subreaper.Self, argv: []string{subreaper.ProbeName}, env: []string{subreaper.Proof},
		files: [3]*os.File{stdin, null, null}, sandbox: Trusted,
	})
	if err != nil {
		return err
	}
	defer t.free()
	defer time.AfterFunc(tryFor, t.abandon).Stop()
	if n := len(t.members()); n != 1 {
		t.abandon()
		return fmt.Errorf("the probe's tree shows %d processes instead of 1", n)
	}
	if err := t.kill(); err != nil {
		t.abandon()
		return fmt.Errorf("kill the probe: %w", err)
	}
	exit, err := t.waitLeader()
	if err != nil {
		return fmt.Errorf("wait for the probe: %w", err)
	}
	if exit.Signal != "SIGKILL" {
		return fmt.Errorf("the probe was to be killed and ended with %+v", exit)
	}
	if err := t.waitEmpty(); err != nil {
		return fmt.Errorf("wait for the probe's tree: %w", err)
	}
	t.settle()
	return nil
}

// closeOnExec marks every descriptor above the standard three.
func closeOnExec() {
	if unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	entries, _ := os.ReadDir("/proc/self/fd") // before Linux 5.11
	for _, e := range entries {
		var fd int
		if _, err := fmt.Sscan(e.Name(), &fd); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}
