package lab

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
)

// filesOfCommand is how many files the daemon has open for a command that is
// silent: its process and its two streams.
const filesOfCommand = 3

// Room is how many commands more can live on this machine at once, and what the
// limit is.
func (l *Lab) Room() (n int, limit string) {
	n, limit = math.MaxInt, "there is no limit"
	for _, file := range []string{"/proc/sys/kernel/pid_max", "/proc/sys/kernel/threads-max", "/sys/fs/cgroup/pids.max"} {
		raw, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if most, err := strconv.Atoi(strings.TrimSpace(string(raw))); err == nil && most/2 < n { // it may be "max"
			n, limit = most/2, fmt.Sprintf("half of the %d in %s", most, file)
		}
	}
	const spare = 1000
	if files := int(openFiles(100_000)); files > 0 && (files-spare)/filesOfCommand < n {
		n, limit = (files-spare)/filesOfCommand, fmt.Sprintf("%d open files (ulimit -n), of which each takes %d", files, filesOfCommand)
	}
	return n, limit
}
