package process

// Budget bounds what a process and all below it may use, together. A zero field
// is no bound. A child never has more than what is left to its parent.
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
