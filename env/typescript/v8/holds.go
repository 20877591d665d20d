//go:build cgo && linux && (amd64 || arm64)

package v8

import (
	"strconv"
	"strings"
	"syscall"
)

// hold is one thing that keeps a child from the machine; reason says why it
// does not, and is empty if it does.
type hold struct{ name, reason string }

type holds []hold

// parseHolds reads a zygote's hello: lines of "hold <name> <errno>" among others.
func parseHolds(text string) holds {
	var hs holds
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) != 3 || fields[0] != "hold" {
			continue
		}
		h := hold{name: fields[1]}
		if n, err := strconv.Atoi(fields[2]); err != nil || n != 0 {
			h.reason = syscall.Errno(n).Error()
		}
		hs = append(hs, h)
	}
	return hs
}

// split returns the names of those that hold, and the others with reasons.
func (hs holds) split() (confined, missing []string) {
	for _, h := range hs {
		if h.reason == "" {
			confined = append(confined, h.name)
		} else {
			missing = append(missing, h.name+": "+h.reason)
		}
	}
	return confined, missing
}
