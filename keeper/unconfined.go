//go:build !linux

package keeper

import "github.com/reeverun/reeve/keeper/internal/confine"

// settleUnconfined says of everything asked for that is not held already that
// it cannot be had on this system, and refuses what is required.
func (c *command) settleUnconfined() error {
	var asked []string
	if c.limits.Memory > 0 {
		asked = append(asked, confine.Memory)
	}
	if c.limits.PIDs > 0 {
		asked = append(asked, confine.PIDs)
	}
	if c.limits.OpenFiles > 0 {
		asked = append(asked, confine.OpenFiles)
	}
	if c.sandbox != Trusted {
		asked = append(asked, confine.NoNewPrivs, confine.NoCapabilities, confine.Landlock, confine.Seccomp)
	}
	if c.sandbox == Sandboxed {
		asked = append(asked, confine.OwnRoot, confine.NoNetwork, confine.PidNamespace)
	}
	for _, lack := range c.told.lacking(asked) {
		c.told.Missing = append(c.told.Missing, lack)
	}
	return c.refuse(c.told.lacking(c.require))
}
