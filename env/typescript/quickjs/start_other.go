//go:build !linux

package quickjs

import (
	"os"
	"os/exec"
)

// ownProgram is the file that this process runs.
func ownProgram() (string, error) { return os.Executable() }

// starter is how the operating system is asked for a child: there is one way.
type starter struct{}

func starters() []starter { return []starter{{}} }

func (starter) apply(cmd *exec.Cmd) { ownGroup(cmd) }

func (starter) confines() []string { return nil }

func (starter) String() string { return "a plain process" }
