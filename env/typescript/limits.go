package typescript

import (
	"fmt"

	"github.com/reeverun/reeve/env/typescript/engine"
	"github.com/reeverun/reeve/process"
)

// What bounds a child beside the limits a client can name.
const (
	maxCode      = 8 << 20  // of source
	maxStructure = 8 << 20  // of structured output in one run
	maxMerges    = 10_000   // of structured output in one run: each is an event
	maxMade      = 100_000  // calls in one run: each is two events
	maxCalls     = 10_000   // not answered yet
	maxAtOnce    = 256      // of them being carried out
	maxOnTheWay  = 64 << 20 // bytes of calls not answered yet; and of results it does not read
	maxMessage   = 64 << 10 // of an error's text
)

const (
	minHeap     = 16 << 20
	defaultHeap = 128 << 20
	ceilingHeap = 4 << 30
)

func withDefaults(limits, ceiling process.Limits) (process.Limits, process.Limits) {
	if ceiling.MemoryBytes == 0 {
		ceiling.MemoryBytes = ceilingHeap
	}
	if limits.MemoryBytes == 0 {
		limits.MemoryBytes = min(defaultHeap, ceiling.MemoryBytes)
	}
	return limits, ceiling
}

// Check refuses what no run could do.
func (e *Env) Check(s *process.Spec) error {
	e.mu.Lock()
	broken := e.broken
	e.mu.Unlock()
	if broken != nil {
		return &process.Error{Code: process.CodeNoEnvironment, Message: "programs cannot be run", Err: broken, Hint: "see reeve doctor"}
	}
	if len(s.Code) > maxCode {
		return process.Invalid("code", "it has %d bytes; a program has at most %d", len(s.Code), maxCode)
	}
	if err := e.checkRequire(s.Options.Require); err != nil {
		return err
	}
	l, ceiling := s.Options.Limits, e.cfg.Ceiling
	for _, f := range []struct {
		name      string
		asked     int64
		most, low int64
		unknown   bool
	}{
		{name: "memoryBytes", asked: l.MemoryBytes, most: ceiling.MemoryBytes, low: minHeap},
		{name: "cpuMs", asked: l.CPUMS, most: ceiling.CPUMS},
		{name: "outputBytes", asked: l.OutputBytes, most: ceiling.OutputBytes},
		{name: "pids", asked: l.PIDs, unknown: true},
		{name: "openFiles", asked: l.OpenFiles, unknown: true},
	} {
		field := "options.limits." + f.name
		switch {
		case f.asked == 0:
		case f.unknown:
			return process.Invalid(field, "a program starts no processes and opens no files: leave it out")
		case f.asked < f.low:
			return process.Invalid(field, "%d is too little: the least is %d", f.asked, f.low)
		case f.most > 0 && f.asked > f.most:
			return process.Invalid(field, "%d is more than this server allows, which is %d", f.asked, f.most)
		}
	}
	return nil
}

// limits are those of a run, defaults filled in.
func (e *Env) limits(asked process.Limits) process.Limits {
	fill := func(asked *int64, standard, ceiling int64) {
		if *asked == 0 {
			*asked = standard
		}
		if ceiling > 0 && (*asked == 0 || *asked > ceiling) {
			*asked = ceiling
		}
	}
	d, c := e.cfg.Limits, e.cfg.Ceiling
	fill(&asked.MemoryBytes, d.MemoryBytes, c.MemoryBytes)
	fill(&asked.CPUMS, d.CPUMS, c.CPUMS)
	fill(&asked.OutputBytes, d.OutputBytes, c.OutputBytes)
	return asked
}

// cpuLimit is the CPU time of a run. A program computes in one thread, so its
// timeout bounds it: that holds while its clock stands still for an approval,
// too.
func cpuLimit(limits process.Limits, o process.Options) uint64 {
	ms := limits.CPUMS
	if t := o.Timeout.Milliseconds(); t > 0 && (ms == 0 || t+1000 < ms) {
		ms = t + 1000 // the clock's answer, timeout, comes first
	}
	return uint64(max(0, ms))
}

// ended says how a child ended that did not say so itself.
func ended(x engine.Exit, l process.Limits) (string, *process.Exit) {
	switch {
	case x.Code == exitMemory:
		return outOfMemory(l), nil
	case x.Code == exitCPU:
		return outOfCPU(l), nil
	case x.Signal == "":
		return fmt.Sprintf("the program's process ended unexpectedly, with exit code %d", x.Code), nil
	}
	exit := &process.Exit{Code: 128 + signalNumber(x.Signal), Reason: "signal: " + x.Signal, Signal: x.Signal}
	switch x.Signal {
	case "SIGKILL":
		return "the program's process was killed by the system: most likely the machine is out of memory", exit
	case "SIGXCPU":
		return outOfCPU(l), exit
	case "SIGTRAP", "SIGABRT", "SIGILL":
		return fmt.Sprintf("the engine gave up (%s): most likely the program ran out of memory; its limit is %s", x.Signal, bytes(l.MemoryBytes)), exit
	}
	return fmt.Sprintf("the engine crashed (%s)", x.Signal), exit
}

// The exit codes by which a child says that it met a limit.
const (
	exitMemory = 70
	exitCPU    = 71
)

func outOfMemory(l process.Limits) string {
	return fmt.Sprintf("out of memory: the program needs more than its limit of %s (options.limits.memoryBytes)", bytes(l.MemoryBytes))
}

func outOfCPU(l process.Limits) string {
	if l.CPUMS == 0 {
		return "out of CPU time: the program computed for longer than its timeout"
	}
	return fmt.Sprintf("out of CPU time: the program computed for longer than its limit of %d ms (options.limits.cpuMs)", l.CPUMS)
}

func bytes(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// signalNumber is Linux's number of the signals that end a process by
// themselves.
func signalNumber(name string) int {
	return map[string]int{"SIGHUP": 1, "SIGINT": 2, "SIGQUIT": 3, "SIGILL": 4, "SIGTRAP": 5, "SIGABRT": 6, "SIGBUS": 7,
		"SIGFPE": 8, "SIGKILL": 9, "SIGSEGV": 11, "SIGPIPE": 13, "SIGALRM": 14, "SIGTERM": 15, "SIGXCPU": 24, "SIGSYS": 31}[name]
}
