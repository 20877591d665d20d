package growth

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/reeverun/reeve/bench/lab"
)

// pace is how a child writes lines: see bench/child.
type pace struct {
	bursts, lines int // lines of a burst
	pause         time.Duration
	steady, gated bool
}

// all is how many lines it writes.
func (p pace) all() int { return p.bursts * p.lines }

// command is the body that creates it as a process.
func (p pace) command(l *lab.Lab, block bool) (string, error) {
	args := []string{"paced", fmt.Sprint(p.bursts), fmt.Sprint(p.lines), p.pause.String()}
	if p.steady {
		args = append(args, "steady")
	}
	if p.gated {
		args = append(args, "gated")
	}
	body, err := json.Marshal(map[string]any{"environment": "command", "block": block,
		"command": map[string]any{"program": l.Child, "args": args, "stdinOpen": p.gated}})
	return string(body), err
}
