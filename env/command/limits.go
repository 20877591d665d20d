package command

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/process"
)

// leastMemory is what no program starts in less than.
const leastMemory = 1 << 20

// Enforces says that a command's sandbox and requirements are heeded.
func (e *Env) Enforces() {}

// checkBounds refuses limits, requirements and work folders that no machine
// could give a command.
func (e *Env) checkBounds(s *process.Spec) error {
	o := &s.Options
	if n := o.Limits.MemoryBytes; n > 0 && n < leastMemory {
		return process.Invalid("options.limits.memoryBytes", "%d is too little: the least is %d", n, leastMemory)
	}
	for i, name := range o.Require {
		if why := unrequirable(name, o); why != "" {
			return process.Invalid(fmt.Sprintf("options.require[%d]", i), "%s", why)
		}
	}
	if s.Command == nil || !o.Sandbox.Confines() {
		return nil
	}
	_, err := e.workFolder(s.Command.Dir, o.Sandbox)
	return err
}

// unrequirable says why a name cannot be required with these options, or is
// empty.
func unrequirable(name string, o *process.Options) string {
	if !slices.Contains(keeper.Features(), name) {
		return fmt.Sprintf("nothing can be required of a command by the name %q: want one of %s", name, strings.Join(keeper.Features(), ", "))
	}
	switch name {
	case process.TreeKill, "pids":
		return ""
	case "memory", "cpu", "openFiles":
		option, asked := map[string]string{"memory": "memoryBytes", "cpu": "cpuMs", "openFiles": "openFiles"}[name],
			map[string]int64{"memory": o.Limits.MemoryBytes, "cpu": o.Limits.CPUMS, "openFiles": o.Limits.OpenFiles}[name]
		if asked == 0 {
			return fmt.Sprintf("%s is not limited: set options.limits.%s, too", name, option)
		}
		return ""
	case "no-new-privs", "no-capabilities", "landlock", "seccomp":
		if !o.Sandbox.Confines() {
			return name + " is not what a trusted command has: set options.sandbox to confined or sandbox, too"
		}
		return ""
	}
	if o.Sandbox != process.Sandboxed {
		return name + " is what options.sandbox has as sandbox only: set that, too"
	}
	return ""
}

// bound adds to what the keeper is asked for how far the job is to be held.
func (e *Env) bound(k *keeper.Spec, cmd *process.Command, o *process.Options) (err error) {
	l := o.Limits
	k.Limits = keeper.Limits{Memory: l.MemoryBytes, PIDs: atMost(l.PIDs), OpenFiles: atMost(l.OpenFiles),
		CPU: time.Duration(min(l.CPUMS, int64(math.MaxInt64/time.Millisecond))) * time.Millisecond}
	k.Sandbox, k.Require = keeper.Sandbox(o.Sandbox), o.Require
	if o.Sandbox.Confines() {
		k.Dir, err = e.workFolder(cmd.Dir, o.Sandbox)
	}
	k.Env = environ(cmd, o.Sandbox, k.Dir)
	return err
}

// atMost is a number as large as the keeper's can be.
func atMost(n int64) int { return int(min(n, math.MaxInt32)) }

// enforced is what a job's record says of how it is held.
func (e *Env) enforced(job keeper.Job) process.Enforced {
	told := job.Enforced()
	held := slices.DeleteFunc(slices.Clone(told.Held), func(name string) bool { return name == process.TreeKill })
	return process.Enforced{TreeKill: string(e.spawner.Tier()), Confined: held, Missing: append([]string{}, told.Missing...)}
}

// explain says what to do about a requirement that cannot be met.
func explain(err error) error {
	var refused *keeper.SpawnError
	if errors.As(err, &refused) && refused.Op == keeper.OpRequire {
		return fmt.Errorf("it was not started: %w. Take it out of options.require to run without it; reeve doctor tells what can be enforced here", refused.Err)
	}
	return err
}

// limited adds to a result that a limit ended the tree, or some of it. It is
// evidence: what the leader's exit means stays. wanted says that the host killed
// the leader, if anybody did.
func limited(res env.Result, killed keeper.Limit, wanted bool, o *process.Options) (env.Result, error) {
	var name, option, text string
	switch killed {
	case "":
		return res, nil
	case keeper.LimitMemory:
		name, option, text = "memory", "memoryBytes", process.SizeText(o.Limits.MemoryBytes)
	default:
		name, option, text = "cpu", "cpuMs", (time.Duration(o.Limits.CPUMS) * time.Millisecond).String()
	}
	text = fmt.Sprintf("killed by the %s of %s", killed, text)
	if res.State == process.ExitFailed && !wanted && slices.Contains([]string{"SIGKILL", "SIGXCPU"}, res.Exit.Signal) {
		res.Findings = append(res.Findings, process.LimitFinding(process.ErrorSeverity, name, option, text))
		return res, errors.New(text)
	}
	text = "a process of its tree was " + text
	res.Findings = append(res.Findings, process.LimitFinding(process.Warning, name, option, text))
	if res.State != process.ExitFailed {
		return res, nil
	}
	return res, fmt.Errorf("%s: %s", res.Exit.Reason, text)
}

// wasKilled reports whether the host wanted the run dead.
func (r *run) wasKilled() bool {
	select {
	case <-r.killed:
		return true
	default:
		return false
	}
}
