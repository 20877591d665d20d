package process

import "time"

// CallReap is the last call of a run's trace.
const CallReap = "Reap"

// Syscall is one kernel call of a process, as a trace shows it: what the run
// asked of the kernel, or what was done to the process. Arguments carry no
// secrets: no parameters of tools, no messages, no output.
type Syscall struct {
	At         Stamp          `json:"at" doc:"When it began."`
	Call       string         `json:"call" example:"Write"`
	Args       map[string]any `json:"args" nullable:"false"`
	DurationMS float64        `json:"durationMs" doc:"How long it took."`
	Error      *string        `json:"error" doc:"null: it succeeded."`
	Dropped    int64          `json:"dropped" doc:"How many calls before this one were not kept, because they were not read in time."`
}

// Duration is how long the call took.
func (c *Syscall) Duration() time.Duration {
	return time.Duration(c.DurationMS * float64(time.Millisecond))
}
