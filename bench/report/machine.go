package report

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// Machine is where and of what a run was made.
type Machine struct {
	CPU    string    `json:"cpu"`
	Cores  int       `json:"cores"`
	Kernel string    `json:"kernel"`
	Go     string    `json:"go"`
	Commit string    `json:"commit"`
	Date   time.Time `json:"date"`
	Load   string    `json:"load"` // averages of 1, 5 and 15 minutes, before
}

// ThisMachine describes the machine now. What cannot be found out is left empty.
func ThisMachine(ctx context.Context, root string) Machine {
	return Machine{
		CPU: cpuModel(), Cores: runtime.NumCPU(), Kernel: says(ctx, "", "uname", "-sr"), Go: runtime.Version(),
		Commit: says(ctx, root, "git", "describe", "--always", "--dirty", "--exclude=*"),
		Date:   time.Now().UTC().Truncate(time.Second), Load: loadAverage(),
	}
}

func cpuModel() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if key, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

func loadAverage() string {
	raw, _ := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(raw))
	return strings.Join(fields[:min(3, len(fields))], " ")
}

func says(ctx context.Context, dir, program string, args ...string) string {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	out, _ := cmd.Output()
	return strings.TrimSpace(string(out))
}
