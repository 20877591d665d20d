package compile

import (
	"os/exec"
	"syscall"
)

// limitWorker bounds the worker's memory: past it the worker dies, and with it
// one compilation.
func limitWorker() {
	_ = syscall.Setrlimit(2 /* RLIMIT_DATA */, &syscall.Rlimit{Cur: workerMemory, Max: workerMemory})
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
}

// detach keeps a terminal's Ctrl-C from workers, and keeps them from outliving
// this program.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
