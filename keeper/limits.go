package keeper

import (
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/reeverun/reeve/keeper/internal/confine"
)

// Limits bound a job with all its descendants. 0 is no limit.
type Limits struct {
	// Memory is in bytes, of the whole tree where a cgroup counts it, else
	// the data of each process.
	Memory int64
	// PIDs is the number of processes and threads at a time; 0 is the
	// spawner's default, less than 0 none at all. Only a cgroup can count
	// them. Who holds a sandboxed job needs some, which are added.
	PIDs int
	// CPU is the time of the whole tree. It is looked at, so a tree may use
	// some more.
	CPU time.Duration
	// OpenFiles is the number of descriptors of each process.
	OpenFiles int
	// Tmp is the size in bytes of a sandbox's own /tmp; 0 is 64 MiB.
	Tmp int64
}

// Defaults of Limits.
const (
	DefaultPIDs = 4096
	DefaultTmp  = 64 << 20
)

// Sandbox says how much of the machine a job may reach. The zero value is
// Trusted.
type Sandbox string

// The kinds. See docs/security.md for what each stops and what not.
const (
	Trusted   Sandbox = confine.Trusted  // whatever its user may
	Confined  Sandbox = confine.Confined // reads and networks as its user, writes in few places, gains no rights
	Sandboxed Sandbox = confine.Sandbox  // sees the system's folders and its work folder, nobody, and no network
)

// Limit is what ended a job.
type Limit string

// The limits that end one; the others refuse.
const (
	LimitMemory Limit = "memory limit"
	LimitCPU    Limit = "CPU limit"
)

// Enforced says what holds a job back, by name ("memory", "landlock" and so
// on; see Features), and what was asked for and could not be had, by name and
// the system's reason, "NAME: REASON".
type Enforced struct {
	Held    []string `json:"held"`
	Missing []string `json:"missing"`
}

// Features are the names that Enforced may hold and Require may ask for.
func Features() []string { return confine.Names() }

func (e *Enforced) hold(name string) {
	if !slices.Contains(e.Held, name) {
		e.Held = append(e.Held, name)
	}
}

func (e *Enforced) lack(name, reason string) {
	e.Missing = append(e.Missing, name+": "+reason)
}

// notAsked is why something is not held that nothing is known of.
const notAsked = "it is not asked for, or not to be had on this system"

// lacking returns those names that are not held, with their reasons.
func (e *Enforced) lacking(names []string) []string {
	var out []string
	for _, name := range names {
		if slices.Contains(e.Held, name) {
			continue
		}
		i := slices.IndexFunc(e.Missing, func(m string) bool { return strings.HasPrefix(m, name+":") })
		if i < 0 {
			out = append(out, name+": "+notAsked)
			continue
		}
		out = append(out, e.Missing[i])
	}
	return out
}

// record is what is told of a job: that its spawner's own default cannot be
// had is said once, by the doctor, and not of each trusted job.
func (c *command) record() Enforced {
	e := c.told
	if c.limits.PIDs == 0 && c.sandbox == Trusted {
		e.Missing = slices.DeleteFunc(e.Missing, func(m string) bool { return strings.HasPrefix(m, confine.PIDs+":") })
	}
	return e
}

// refuse says that something required is lacking.
func (c *command) refuse(lacking []string) error {
	if len(lacking) == 0 {
		return nil
	}
	return &SpawnError{Op: OpRequire, Path: c.path, Err: &MissingError{Names: lacking}}
}

// checkLimits refuses what means nothing.
func checkLimits(s *Spec) error {
	refuse := func(hint string) error {
		return &SpawnError{Op: OpCheck, Path: s.Path, Err: syscall.EINVAL, Hint: hint}
	}
	switch s.Sandbox {
	case "", Trusted, Confined, Sandboxed:
	default:
		return refuse("sandbox is one of trusted, confined and sandbox")
	}
	if l := s.Limits; l.Memory < 0 || l.CPU < 0 || l.OpenFiles < 0 || l.Tmp < 0 {
		return refuse("a limit is less than 0")
	}
	for _, name := range s.Require {
		if !slices.Contains(Features(), name) {
			return refuse("nothing can be required by the name " + name + "; there are " + strings.Join(Features(), ", "))
		}
	}
	return nil
}
