//go:build unix

package quickjs

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is what this process has used.
func cpuTime() time.Duration {
	usage := ownUsage()
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// maxRSS is the most that this process has held, in bytes.
func maxRSS() int64 {
	usage := ownUsage()
	return int64(usage.Maxrss) * rssUnit
}

// ownUsage cannot fail but for a wrong argument.
func ownUsage() (usage unix.Rusage) {
	_ = unix.Getrusage(unix.RUSAGE_SELF, &usage)
	return usage
}
