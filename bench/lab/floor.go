package lab

import (
	"os"
	"os/exec"
)

// SpawnAndSync does the least that a durable job can cost: it runs true, and
// writes a page that is on the disk when it returns.
func SpawnAndSync(f *os.File) error {
	if err := exec.Command("true").Run(); err != nil {
		return err
	}
	if _, err := f.WriteAt(make([]byte, 4096), 0); err != nil {
		return err
	}
	return SyncData(f)
}
