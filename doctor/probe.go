package doctor

import (
	"context"
	"os/user"
	"path/filepath"
	"runtime"
)

// Probe tries everything, in about a second at most, and longer where there is
// a large database to look through. The data directory need
// not exist: then what it would be made in is looked at. When ctx is over the
// report ends with what was found by then. The extra checks, of what the program
// links and this package does not know, come before those of the data directory.
func Probe(ctx context.Context, dataDir string, extra ...Extra) Report {
	if dir, err := filepath.Abs(dataDir); err == nil {
		dataDir = dir
	}
	r := Report{System: System{OS: runtime.GOOS, Arch: runtime.GOARCH, Kernel: kernelRelease(), DataDir: dataDir}}
	if u, err := user.Current(); err == nil {
		r.System.User = u.Username
	}
	all := []func() []Check{treeChecks}
	all = append(all, systemProbes(dataDir)...)
	for _, e := range extra {
		all = append(all, func() []Check { return []Check{e.check(ctx)} })
	}
	all = append(all, func() []Check { return dataChecks(ctx, dataDir) })
	for _, probe := range all {
		if ctx.Err() != nil {
			break
		}
		r.Checks = append(r.Checks, probe()...)
	}
	return r
}
