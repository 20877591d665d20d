package doctor

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

func treeExtras() []Check {
	c := check(SectionTree, "pidfd", "pidfd")
	if err := tryPidfd(); err != nil {
		return []Check{c.missing("A process that ended cannot be told from a stranger that got its number later, except by its start time.",
			whyRefused(err), "Use Linux 5.4 or newer; in a container, a seccomp profile that allows pidfd_open(2) and pidfd_send_signal(2).")}
	}
	return []Check{c.ok("Processes are held by descriptors: no signal ever reaches a stranger that got a recycled number.")}
}

// tryPidfd opens this process itself, asks whether it could be signalled, and
// looks whether the descriptor can be waited for.
func tryPidfd() error {
	fd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := unix.PidfdSendSignal(fd, 0, nil, 0); err != nil {
		return err
	}
	ready, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
	if err != nil && !errors.Is(err, unix.EINTR) {
		return err
	}
	if ready != 0 {
		return fmt.Errorf("the descriptor of a living process says that it ended")
	}
	return nil
}
