package doctor

import (
	"errors"
	"fmt"
)

const cgroupAdvice = "Run Reeve where it owns its cgroup with this controller: as a systemd service with Delegate=yes, or in a container with a writable cgroup file system."

// controllerProbe is one limit for jobs, and the files that set it.
type controllerProbe struct {
	name    string
	v2, v1  [2]string // file and value
	meaning string
	without string
}

func controllerProbes() []controllerProbe {
	return []controllerProbe{
		{"memory", [2]string{"memory.max", "67108864"}, [2]string{"memory.limit_in_bytes", "67108864"},
			"The memory of a whole job can be capped", "The memory of a job cannot be capped: one that takes too much takes it from all."},
		{"pids", [2]string{"pids.max", "64"}, [2]string{"pids.max", "64"},
			"The processes of a job can be capped", "The processes of a job cannot be capped: a fork bomb takes the pids of the whole machine, Reeve's included."},
		{"cpu", [2]string{"cpu.max", "50000 100000"}, [2]string{"cpu.cfs_quota_us", "50000"},
			"The CPU share of a job can be capped", "The CPU share of a job cannot be capped."},
	}
}

func limitChecks() []Check {
	var checks []Check
	for _, p := range controllerProbes() {
		checks = append(checks, p.check())
	}
	return checks
}

func (p controllerProbe) check() Check {
	c := check(SectionLimits, "limit-"+p.name, p.name+" limit")
	new, err2 := findHierarchy("")
	if err2 == nil {
		err2 = new.tryLimit(p.v2[0], p.v2[1])
	}
	if err2 == nil {
		return c.ok(p.meaning + ", by cgroup v2.")
	}
	old, err1 := findHierarchy(p.name)
	if err1 == nil {
		err1 = old.tryLimit(p.v1[0], p.v1[1])
	}
	if err1 == nil {
		return c.ok(p.meaning + ", by cgroup v1.")
	}
	if errors.Is(err2, errNotHandedDown) && new.has(p.name) && new.mayHandDown() {
		return c.limited(p.meaning+" once the controller is handed down.",
			"the controller is delegated to this cgroup, which still holds processes of its own: "+new.dir,
			"Start Reeve as a systemd service with Delegate=yes and DelegateSubgroup=, so that the cgroup above it is free to hand controllers down.")
	}
	return c.missing(p.without, fmt.Sprintf("cgroup v2: %v; cgroup v1: %v", err2, err1), cgroupAdvice)
}
