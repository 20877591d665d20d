//go:build linux && !amd64 && !arm64

package confine

// No filter was written and tried for this architecture.
const (
	auditArch  = 0
	x32Bit     = 0
	sysSeccomp = 0
	callSocket = 0
	callIoctl  = 0
)

var (
	deniedHere, tracingHere []uint32
	modeCalls, openCalls    []argCall
)
