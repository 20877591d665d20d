//go:build !unix

package mcp

import "os/exec"

// ownGroup does nothing: there are no process groups.
func ownGroup(*exec.Cmd) {}

// endGroup kills a command; there is no way to ask.
func endGroup(cmd *exec.Cmd, now bool) {
	if now {
		_ = cmd.Process.Kill()
	}
}
