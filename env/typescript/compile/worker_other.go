//go:build !linux

package compile

import (
	"os/exec"
	"runtime/debug"
)

func limitWorker() { debug.SetMemoryLimit(workerMemory) } // a wish, not a bound: the deadline is what holds

func detach(*exec.Cmd) {}
