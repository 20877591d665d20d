package keeper

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// tiers: macOS has nothing stronger than process groups.
func tiers() []Tier { return []Tier{TierGroup} }

func open(_ Tier, o Options) (holder, error) {
	h, err := openGroup(o)
	if err != nil {
		return nil, err
	}
	return h, nil
}

// closeOnExec marks every descriptor above the standard three.
func closeOnExec() {
	entries, _ := os.ReadDir("/dev/fd")
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}
