package torture

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"
	"time"
)

// Kind is how a job behaves.
type Kind string

// The kinds of job.
const (
	Plain    Kind = "plain"    // writes its lines and exits
	Stubborn Kind = "stubborn" // so, and ignores SIGTERM
	Family   Kind = "family"   // a child in a session of its own writes as many, and ends later
	Litter   Kind = "litter"   // leaves a child in a session of its own that ignores SIGTERM and never ends
	Endless  Kind = "endless"  // writes until it is killed
	Fed      Kind = "fed"      // writes to stdout what it reads from stdin
)

// The writers of a job.
const (
	Leader = "leader"
	Child  = "child"
)

// Job is one command of the harness, as it is passed to the program "job".
type Job struct {
	Name   string        `json:"name"`   // unique
	Mark   string        `json:"mark"`   // of the whole run: how strays are found
	Ledger string        `json:"ledger"` // the file it appends to when it begins
	Kind   Kind          `json:"kind"`
	Lines  int           `json:"lines"` // of each writer to each stream
	Pace   time.Duration `json:"pace"`  // between lines, on average
}

// String is the argument from which [ParseJob] makes the job again.
func (j Job) String() string {
	text, err := json.Marshal(j)
	if err != nil {
		panic(err) // strings and numbers
	}
	return string(text)
}

// ParseJob reads what String wrote.
func ParseJob(text string) (j Job, err error) {
	err = json.Unmarshal([]byte(text), &j)
	return j, err
}

// Code is the exit code: about half of all jobs succeed.
func (j Job) Code() int { return max(0, int(Number(j.Name)%60)-30) }

// Writers are those who write to each stream.
func (j Job) Writers() []string {
	switch j.Kind {
	case Family, Litter:
		return []string{Leader, Child}
	default:
		return []string{Leader}
	}
}

// Finite reports whether a writer ends by itself.
func (j Job) Finite(writer string) bool {
	return j.Kind != Endless && (j.Kind != Litter || writer == Leader)
}

// Line is the nth line, counted from 1, of a writer to a stream. Its length
// varies.
func Line(name, writer, stream string, n int) string {
	padding := strings.Repeat("=", int((Number(name)+uint64(n)*13)%71))
	return fmt.Sprintf("%s %s %s %06d %s\n", name, writer, stream, n, padding)
}

// Number is a number that a name stands for.
func Number(name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return h.Sum64() >> 1
}
