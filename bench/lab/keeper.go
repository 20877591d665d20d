package lab

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Keeper is the process id of the daemon's keeper; there is one from its first
// command on.
func (d *Daemon) Keeper() (int, error) {
	for _, pid := range Children(d.PID) {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if bytes.HasPrefix(line, []byte("reeve keeper")) || bytes.HasPrefix(line, []byte("reeve\x00keeper")) {
			return pid, nil
		}
	}
	return 0, fmt.Errorf("daemon %d has no keeper", d.PID)
}

// Children are the children of a process.
func Children(pid int) (pids []int) {
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, task := range tasks {
		list, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name()))
		for word := range strings.FieldsSeq(string(list)) {
			if n, err := strconv.Atoi(word); err == nil {
				pids = append(pids, n)
			}
		}
	}
	return pids
}
