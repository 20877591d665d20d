package reeve

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// bootNote says which boot of the machine this is, and where the logs are;
// empty where that cannot be known.
func (c *Config) bootNote() string {
	if runtime.GOOS != "linux" {
		return ""
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	logs, err := filepath.Abs(c.LogDir)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + "\n" + logs + "\n"
}

func (c *Config) bootFile() string { return filepath.Join(c.Dir, "boot") }

// sameLogs reports whether what the logs show of the last host can be trusted:
// they are the same, and the machine has not been restarted since, which may
// have taken back what was not synced.
func (c *Config) sameLogs() bool {
	note := c.bootNote()
	before, err := os.ReadFile(c.bootFile())
	return c.durable() && err == nil && note != "" && string(before) == note
}

// noteBoot takes note for the next host, once all that the last one left is
// settled.
func (c *Config) noteBoot() error {
	if !c.durable() || c.sameLogs() {
		return nil
	}
	if err := os.WriteFile(c.bootFile(), []byte(c.bootNote()), 0o600); err != nil {
		return fmt.Errorf("take note of the boot: %w", err)
	}
	return nil
}
