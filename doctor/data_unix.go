//go:build unix

package doctor

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// privacy looks at who owns the data directory and who may read it.
func privacy(c Check, dir string, info os.FileInfo) Check {
	st, ok := info.Sys().(*syscall.Stat_t)
	if ok && int(st.Uid) != os.Geteuid() {
		return c.limited("The data directory belongs to somebody else.", fmt.Sprintf("its owner is user %d, and this is user %d", st.Uid, os.Geteuid()),
			"Run Reeve as its owner, or choose another --data.")
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return c.limited("Other users of this machine may look into the data directory.", fmt.Sprintf("its mode is %04o", mode), "chmod 700 "+dir)
	}
	return c.ok("The data directory is this user's and nobody else's.")
}

func diskSpace(dir string) (free, all uint64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, 0, err
	}
	block := uint64(st.Bsize)
	return st.Bavail * block, st.Blocks * block, nil
}
