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

// rank puts what needs attention first.
func rank(n *node) int {
	switch n.rec.State {
	case process.Running, process.Terminating:
		return 0
	case process.Queued:
		return 1
	}
	return 2
}

// weigher returns the rank of a process with all below it: a finished one with a
// running child counts as running.
func (o order) weigher(children map[process.ID][]*node) func(*node) int {
	if o != byState || len(children) == 0 {
		return rank
	}
	known := map[process.ID]int{}
	var weigh func(*node) int
	weigh = func(n *node) int {
		kids := children[n.rec.ID]
		if len(kids) == 0 {
			return rank(n)
		}
		if r, ok := known[n.rec.ID]; ok {
			return r
		}
		r := rank(n)
		for _, kid := range kids {
			r = min(r, weigh(kid))
		}
		known[n.rec.ID] = r
		return r
	}
	return weigh
}

func (o order) compare(x, y *node, weigh func(*node) int) int {
	c := 0
	switch o {
	case byState:
		c = cmp.Compare(weigh(x), weigh(y))
	case byTime:
		c = cmp.Compare(y.rec.Usage.WallMS, x.rec.Usage.WallMS)
	case byLoad:
		c = cmp.Compare(y.cpu, x.cpu)
	case byTokens:
		c = cmp.Compare(y.rec.Usage.Tokens, x.rec.Usage.Tokens)
	case byName:
		c = cmp.Compare(x.title, y.title)
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
