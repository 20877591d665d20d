package process

// Budget bounds what a process and all below it may use, together. A zero field
// is no bound. A child never has more than what is left to its parent; in a
// record, -1 of Children or Depth says that nothing was.
type Budget struct {
	Tokens   int64 `json:"tokens,omitempty"`
	WallMS   int64 `json:"wallMs,omitempty"` // on the process's own clock: not while it is queued or paused
	CPUMS    int64 `json:"cpuMs,omitempty"`
	Children int64 `json:"children,omitempty"` // processes started below it, at any depth, ever
	Depth    int64 `json:"depth,omitempty"`    // generations below it

	// OnExceeded says what follows: BudgetStop, the default, or BudgetAsk.
	OnExceeded string `json:"onExceeded,omitempty"`
}

// What follows when a budget is used up.
const (
	BudgetStop = "stop" // the process and all below it end with code 2
	BudgetAsk  = "ask"  // they are paused until a person grants the same again, or refuses
)

// The tool that an approval of more is asked for as.
const (
	BudgetService = "reeve"
	BudgetTool    = "budget"
)

// Check refuses what cannot be a budget that somebody asks for.
func (b Budget) Check() error {
	for _, f := range []struct {
		name string
		n    int64
	}{{"tokens", b.Tokens}, {"wallMs", b.WallMS}, {"cpuMs", b.CPUMS}, {"children", b.Children}, {"depth", b.Depth}} {
		if f.n < 0 {
			return Invalid("options.budget."+f.name, "%d is negative: leave it out for no bound", f.n)
		}
	}
	switch b.OnExceeded {
	case "", BudgetStop, BudgetAsk:
		return nil
	}
	return Invalid("options.budget.onExceeded", "%q is not possible: want %s or %s", b.OnExceeded, BudgetStop, BudgetAsk)
}

// Within returns what of a budget a child gets where no more than left is left.
// What it does not bound stays so: those above it do.
func (b Budget) Within(left Budget) Budget {
	b.Tokens = narrower(b.Tokens, left.Tokens)
	b.WallMS = narrower(b.WallMS, left.WallMS)
	b.CPUMS = narrower(b.CPUMS, left.CPUMS)
	b.Children = narrower(b.Children, left.Children)
	b.Depth = narrower(b.Depth, left.Depth)
	return b
}

// narrower is the smaller of two bounds, of which 0 is none and -1 nothing.
func narrower(asked, left int64) int64 {
	switch {
	case asked == 0 || left == 0:
		return asked
	case asked < 0 || left < 0:
		return -1
	}
	return min(asked, left)
}
