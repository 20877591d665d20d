package sqlite

import (
	"math"
	"time"

	"github.com/reeverun/reeve/process"
)

// States and exit states are numbers in the database, their names' places in
// these lists. They are part of the schema: add at the end only.
var (
	stateCodes = [...]process.State{process.Idle, process.Queued, process.Running, process.Terminating, process.Idle}
	exitCodes  = [...]process.ExitState{process.ExitNone, process.ExitSuccess, process.ExitFailed,
		process.ExitTimeout, process.ExitCanceled}
)

// unreaped is the second code of Idle: of a process whose newest run is a
// zombie. It makes the unsettled ones a range, all codes above 0.
const unreaped = 4

func stateCode(p *process.Process) int64 {
	if p.State == process.Idle {
		if p.Lifecycle == process.LifecycleZombie {
			return unreaped
		}
		return 0
	}
	for i, s := range stateCodes {
		if s == p.State {
			return int64(i)
		}
	}
	return 0 // store.Change.Check refuses other states
}

func exitCode(e process.ExitState) int64 {
	for i, s := range exitCodes {
		if s == e {
			return int64(i)
		}
	}
	return 0 // as above
}

// never is the zero time; it sorts before every other.
const never = math.MinInt64

// The times that nanoseconds can tell. Others are taken for the nearest.
var (
	minTime = time.Unix(0, never+1)
	maxTime = time.Unix(0, math.MaxInt64)
)

func nanos(t time.Time) int64 {
	switch {
	case t.IsZero():
		return never
	case t.Before(minTime):
		return never + 1
	case t.After(maxTime):
		return math.MaxInt64
	}
	return t.UnixNano()
}

func fromNanos(n int64) time.Time {
	if n == never {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}
