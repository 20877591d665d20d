package tui

import (
	"slices"
	"time"

	"github.com/reeverun/reeve/process"
)

// row is a line of the list.
type row struct {
	*node
	branch string // what hangs it into its tree
	below  int    // how many are below it, shown or not
	folded bool   // they are not shown
	faint  bool   // it is there for what is below it
}

// board holds the processes there are and the rows they make. Rows are made anew
// as a whole: with ten thousand processes that takes a few milliseconds, and it
// is done a few times a second at most.
type board struct {
	theme  theme
	nodes  map[process.ID]*node
	folded map[process.ID]bool
	order  order
	filter filter
	rows   []row
	index  map[process.ID]int // of rows
	tokens bool               // some row has used tokens
	bars   bool               // some row shows progress
	census census
}

// census counts what is on the board.
type census struct{ running, paused, queued, failed, digits int }

func (c *census) count(r *process.Record) {
	c.digits = max(c.digits, len(r.ID.String()))
	switch {
	case r.Paused:
		c.paused++
	case r.State == process.Running || r.State == process.Terminating:
		c.running++
	case r.State == process.Queued:
		c.queued++
	case r.ExitState != nil && (*r.ExitState == process.ExitFailed || *r.ExitState == process.ExitTimeout):
		c.failed++
	}
}

func newBoard(t theme) *board {
	return &board{theme: t, nodes: map[process.ID]*node{}, folded: map[process.ID]bool{}, index: map[process.ID]int{}}
}

// put takes a record in.
func (b *board) put(rec process.Record, now time.Time) {
	n := b.nodes[rec.ID]
	if n == nil {
		n = &node{cpu: -1}
		b.nodes[rec.ID] = n
	}
	n.cpu = n.load(&rec, now)
	n.title = b.theme.safe(titleOf(&rec))
	rec.Code, rec.Output, rec.Stdout, rec.Stderr = nil, nil, nil, nil // too large to be kept for all
	n.rec, n.seen = rec, now
}

func (b *board) remove(id process.ID) { delete(b.nodes, id) }

// aliveBelow counts what has not finished below a process, shown or not.
func (b *board) aliveBelow(id process.ID) int {
	children := map[process.ID][]*node{}
	for _, n := range b.nodes {
		if p := n.rec.Parent; p != nil {
			children[*p] = append(children[*p], n)
		}
	}
	alive := 0
	for next := children[id]; len(next) > 0; {
		n := next[len(next)-1]
		if n.rec.State != process.Idle {
			alive++
		}
		next = append(next[:len(next)-1:len(next)-1], children[n.rec.ID]...)
	}
	return alive
}

// build makes the rows.
func (b *board) build() {
	roots, children := b.family()
	b.rows, b.tokens, b.bars = b.rows[:0], false, false
	clear(b.index)
	b.arrange(roots, children)
	for _, n := range roots {
		b.add(n, "", "", children)
	}
	for i := range b.rows {
		r := &b.rows[i]
		b.index[r.rec.ID] = i
		b.tokens = b.tokens || r.rec.Usage.Tokens > 0
		_, known := r.rec.Progress.Share()
		b.bars = b.bars || known && r.rec.State != process.Idle
	}
}

// family returns those without a parent here, and the others by parent, as far as
// the filter lets them or something below them pass.
func (b *board) family() (roots []*node, children map[process.ID][]*node) {
	children = map[process.ID][]*node{}
	kept := make(map[process.ID]bool, len(b.nodes))
	b.census = census{}
	for _, n := range b.nodes {
		b.census.count(&n.rec)
		if !b.filter.matches(n) {
			continue
		}
		for n != nil && !kept[n.rec.ID] {
			kept[n.rec.ID] = true
			if n.rec.Parent == nil {
				break
			}
			n = b.nodes[*n.rec.Parent]
		}
	}
	for id := range kept {
		n := b.nodes[id]
		if p := n.rec.Parent; p != nil && kept[*p] {
			children[*p] = append(children[*p], n)
		} else {
			roots = append(roots, n)
		}
	}
	return roots, children
}

// arrange sorts all siblings.
func (b *board) arrange(roots []*node, children map[process.ID][]*node) {
	weigh := b.order.weigher(children)
	sortNodes := func(nodes []*node) {
		slices.SortFunc(nodes, func(x, y *node) int { return b.order.compare(x, y, weigh) })
	}
	sortNodes(roots)
	for _, nodes := range children {
		if len(nodes) > 1 {
			sortNodes(nodes)
		}
	}
}

func (b *board) add(n *node, branch, indent string, children map[process.ID][]*node) int {
	at := len(b.rows)
	kids := children[n.rec.ID]
	b.rows = append(b.rows, row{node: n, branch: branch, folded: b.folded[n.rec.ID], faint: !b.filter.matches(n)})
	below := 0
	for i, kid := range kids {
		own, deeper := b.theme.branch(i == len(kids)-1)
		below += 1 + b.add(kid, indent+own, deepest(indent+deeper), children)
	}
	b.rows[at].below = below
	if b.folded[n.rec.ID] {
		b.rows = b.rows[:at+1]
	}
	return below
}
