package tui

import (
	"cmp"
	"strings"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/wording"
)

// order is what the list is sorted by.
type order int

// The orders, as s goes through them.
const (
	byState order = iota // what is active first, then the newest
	byAge
	byTime
	byLoad
	byTokens
	byName
	orders
)

func (o order) String() string {
	return [...]string{"state", "newest", "time", "cpu", "tokens", "name"}[o]
}

// weight is what a process is sorted by, the heaviest first; newest first among
// equals.
func (o order) weight(n *node) float64 {
	switch o {
	case byState:
		return urgency(n)
	case byTime:
		return float64(n.rec.Usage.WallMS)
	case byLoad:
		return n.cpu
	case byTokens:
		return float64(n.rec.Usage.Tokens)
	}
	return 0
}

// urgency puts what is active first.
func urgency(n *node) float64 {
	switch n.rec.State {
	case process.Running, process.Terminating:
		return 2
	case process.Queued:
		return 1
	}
	return 0
}

// weigher returns the weight of a process with all below it: a finished one with a
// running child counts as running, an idle one with a busy child as busy.
func (o order) weigher(children map[process.ID][]*node) func(*node) float64 {
	known := map[process.ID]float64{}
	var weigh func(*node) float64
	weigh = func(n *node) float64 {
		kids := children[n.rec.ID]
		if len(kids) == 0 {
			return o.weight(n)
		}
		if w, ok := known[n.rec.ID]; ok {
			return w
		}
		w := o.weight(n)
		for _, kid := range kids {
			w = max(w, weigh(kid))
		}
		known[n.rec.ID] = w
		return w
	}
	return weigh
}

func (o order) compare(x, y *node, weigh func(*node) float64) int {
	c := cmp.Compare(x.title, y.title)
	if o != byName {
		c = cmp.Compare(weigh(y), weigh(x))
	}
	return cmp.Or(c, cmp.Compare(y.rec.ID, x.rec.ID))
}

// filter is what the list is narrowed to.
type filter struct {
	state stateFilter
	text  string // in lower case
}

// stateFilter is what f goes through.
type stateFilter int

// The filters by state.
const (
	anyState stateFilter = iota
	activeOnly
	pausedOnly
	failedOnly
	doneOnly
	stateFilters
)

func (f stateFilter) String() string {
	return [...]string{"all", "active", "paused", "failed", "done"}[f]
}

func (f filter) matches(n *node) bool { return f.state.matches(&n.rec) && f.matchesText(n) }

func (f stateFilter) matches(r *process.Record) bool {
	switch f {
	case activeOnly:
		return r.State != process.Idle
	case pausedOnly:
		return r.Paused
	case failedOnly:
		return r.State == process.Idle && r.ExitState != nil && *r.ExitState != process.ExitSuccess
	case doneOnly:
		return r.State == process.Idle && r.ExitState != nil && *r.ExitState == process.ExitSuccess
	}
	return true
}

// query asks the daemon for the same.
func (f filter) query() process.Query {
	q := process.Query{Text: f.text, Limit: pageSize}
	switch f.state {
	case activeOnly:
		q.States = []process.State{process.Queued, process.Running, process.Terminating}
	case pausedOnly:
		q.Paused = true
	case failedOnly:
		q.Statuses = []process.ExitState{process.ExitFailed, process.ExitTimeout, process.ExitCanceled}
	case doneOnly:
		q.Statuses = []process.ExitState{process.ExitSuccess}
	}
	return q
}

// matchesText looks where the daemon's own search looks, code aside.
func (f filter) matchesText(n *node) bool {
	if f.text == "" {
		return true
	}
	r := &n.rec
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), f.text) }
	if has(n.title) || has(r.ID.String()) || has(r.Environment) || has(wording.CommandLine(r)) {
		return true
	}
	for _, tag := range r.Tags {
		if has(tag) {
			return true
		}
	}
	return false
}
