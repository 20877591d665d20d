package doctor

import (
	"os"

	"golang.org/x/sys/windows"
)

// privacy: a profile's folders are private by the access list they inherit,
// which a mode does not tell.
func privacy(c Check, _ string, _ os.FileInfo) Check {
	return c.ok("The data directory is there; who may read it is up to the access list it inherits.")
}

func diskSpace(dir string) (free, all uint64, err error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, err
	}
	err = windows.GetDiskFreeSpaceEx(path, &free, &all, nil)
	return free, all, err
}
