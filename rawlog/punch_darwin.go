package rawlog

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// fPunchHole is F_PUNCHHOLE of <sys/fcntl.h>.
const fPunchHole = 99

// punch frees the whole blocks in [from, to) of f and keeps its size. The
// kernel reads a struct fpunchhole (flags, reserved, offset, length), which
// Fstore_t begins with.
func punch(f *os.File, _ string, from, to int64) error {
	const block = 4096
	from, to = (from+block-1)/block*block, to/block*block
	if from >= to {
		return nil
	}
	arg := unix.Fstore_t{Offset: from, Length: to - from}
	if err := unix.FcntlFstore(f.Fd(), fPunchHole, &arg); err != nil {
		return fmt.Errorf("punch hole in %s: %w", f.Name(), err)
	}
	return nil
}
