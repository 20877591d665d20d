package keeper

// Trace is how a tree is found again by a process that did not start it, once
// the one that did is dead. It can be written as JSON.
type Trace struct {
	Tier   Tier   `json:"tier"`
	PID    int    `json:"pid"`              // the leader's
	Start  uint64 `json:"start"`            // when it started, in the kernel's unit
	Boot   string `json:"boot"`             // the boot of the machine within which the rest means anything
	Cgroup string `json:"cgroup,omitempty"` // the tree's directory (cgroup2)
	Inner  string `json:"inner,omitempty"`  // the same, as /proc/PID/cgroup spells it
	Mark   string `json:"mark,omitempty"`   // in the tree's environment (subreaper, pgroup)
	Group  bool   `json:"group,omitempty"`  // the leader has a session of its own
}

// Traceable is what the jobs of an in-process spawner, and adopted ones, are
// on Linux besides.
type Traceable interface {
	Trace() Trace
	// Pidfd returns a descriptor of the leader that is the caller's own. With
	// it the leader's exit can be known after its parent is dead.
	Pidfd() (int, error)
	// Frozen reports whether the tree has been frozen and not thawed since.
	Frozen() bool
}
