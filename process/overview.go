package process

import "time"

// Overview is how all processes are, in numbers.
type Overview struct {
	Cursor       int64 // taken before the rest: what happens after it is not missed
	At           time.Time
	Total        int
	States       map[State]int
	Paused       int
	ExitStates   map[ExitState]int // of the newest runs; ExitNone: without an outcome
	Environments map[string]int
	Tags         []TagCount // the most used ones first
	Approvals    int        // that are pending
	Activity     Activity
}

// TagCount is how many processes carry a tag.
type TagCount struct {
	Tag   string `json:"tag"`
	Count int    `json:"count"`
}

// Activity is what happened in each of some equal spans of time: processes that
// were created, runs that succeeded and runs that ended otherwise.
type Activity struct {
	From                       time.Time
	Step                       time.Duration
	Created, Succeeded, Failed []int
}

// NewActivity makes one of n spans in which nothing happened.
func NewActivity(from time.Time, step time.Duration, n int) Activity {
	return Activity{From: from, Step: step, Created: make([]int, n), Succeeded: make([]int, n), Failed: make([]int, n)}
}

// Ended is the counts that a run's end belongs to.
func (a *Activity) Ended(e ExitState) []int {
	if e == ExitSuccess {
		return a.Succeeded
	}
	return a.Failed
}

// Span returns the number of the span that a time falls into, and whether it
// falls into any.
func (a *Activity) Span(t time.Time) (int, bool) {
	if t.Before(a.From) {
		return 0, false
	}
	n := int(t.Sub(a.From) / a.Step)
	return n, n < len(a.Created)
}
