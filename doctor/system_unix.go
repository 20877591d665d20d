//go:build unix

package doctor

import (
	"fmt"
	"math"

	"golang.org/x/sys/unix"
)

// fewFiles is what a daemon with a few hundred jobs and streams needs.
const fewFiles = 4096

// openFilesCheck reads the limit of this process. Go raises the soft one to the
// hard one at start, so this is what the daemon gets from the same shell.
func openFilesCheck() Check {
	c := check(SectionSystem, "open-files", "open files")
	var r unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &r); err != nil {
		return c.limited("The limit on open files cannot be read.", err.Error(), "")
	}
	if r.Cur >= math.MaxInt64 {
		return c.ok("Open files are not limited.")
	}
	meaning := fmt.Sprintf("A process may have %d files open.", r.Cur)
	if r.Cur < fewFiles {
		return c.limited(meaning, fmt.Sprintf("each job and each stream takes a few; %d is a sensible least", fewFiles),
			"Raise it: LimitNOFILE= in the systemd unit, or ulimit -n.")
	}
	return c.ok(meaning)
}
