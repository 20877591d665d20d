//go:build !linux

package quickjs

import (
	"runtime"
	"time"
)

// confine does nothing: this system has no means that a process could use on
// itself from Go.
func confine() (confined, missing []string) {
	return nil, []string{"sandbox: none on " + runtime.GOOS + ", the program is held by its engine alone"}
}

// limitProcess does nothing: watchCPU and QuickJS's own count are what there is.
func limitProcess(uint64, time.Duration) {}
