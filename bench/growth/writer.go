package growth

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// writerVariable makes this program a writer of lines; it holds a pace.
const writerVariable = "REEVE_BENCH_WRITER"

// pace is how a writer writes: bursts of lines with pauses between them.
type pace struct {
	Bursts, Lines int
	Pause         time.Duration
	// Rate: pauses make up for what the writing took, so that the rate is kept.
	Rate bool
	// Gate: it begins when it has read a line.
	Gate bool
}

// lines is how many it writes.
func (p pace) lines() int { return p.Bursts * p.Lines }

// command is the body that creates it as a process.
func (p pace) command(block bool) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	how, err := json.Marshal(p)
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(map[string]any{"environment": "command", "block": block, "tags": []string{"writer"},
		"command": map[string]any{"program": self, "stdinOpen": p.Gate, "env": map[string]string{writerVariable: string(how)}}})
	return string(body), err
}

// Writer writes lines, if this process was started to do that, and reports
// whether it was: main calls it first, and then ends. Each line begins with the
// time at which it was written; the last one, on standard error, is how long
// all took. Both are in nanoseconds.
func Writer() (was bool, err error) {
	how, was := os.LookupEnv(writerVariable)
	if !was {
		return false, nil
	}
	var p pace
	if err := json.Unmarshal([]byte(how), &p); err != nil {
		return true, fmt.Errorf("%s: %w", writerVariable, err)
	}
	if p.Gate {
		if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
			return true, fmt.Errorf("wait for the gate: %w", err)
		}
	}
	begin := time.Now()
	if err := p.write(begin); err != nil {
		return true, err
	}
	_, err = fmt.Fprintln(os.Stderr, time.Since(begin).Nanoseconds())
	return true, err
}

func (p pace) write(begin time.Time) error {
	rest := " " + strings.Repeat("x", 80) + "\n"
	var burst []byte
	for i := range p.Bursts {
		burst = burst[:0]
		for range p.Lines {
			burst = append(strconv.AppendInt(burst, time.Now().UnixNano(), 10), rest...)
		}
		if _, err := os.Stdout.Write(burst); err != nil {
			return err
		}
		if p.Rate {
			time.Sleep(time.Until(begin.Add(time.Duration(i+1) * p.Pause)))
		} else {
			time.Sleep(p.Pause)
		}
	}
	return nil
}
