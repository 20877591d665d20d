package reeve

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// sameLogs reports whether what the logs show of the last host can be trusted:
// they are the same, and the machine has not been restarted since, which may
// have taken back what was not synced. It takes note for the next host.
func (c *Config) sameLogs() bool {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil || runtime.GOOS != "linux" {
		return false
	}
	logs, err := filepath.Abs(c.LogDir)
	if err != nil {
		return false
	}
	now := strings.TrimSpace(string(boot)) + "\n" + logs + "\n"
	file := filepath.Join(c.Dir, "boot")
	before, _ := os.ReadFile(file)
	if string(before) == now {
		return true
	}
	if err := os.WriteFile(file, []byte(now), 0o600); err != nil {
		c.Logger.Warn("take note of the boot", "error", err)
	}
	return false
}
