package supervisor

import (
	"context"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// Kept is an Env whose runs outlive their host, for a host whose commands do: the
// next one goes on supervising those it finds. There is nothing of a run outside
// its host, so that what is stored of it is all there is.
type Kept struct{ *Env }

var _ env.Reattacher = Kept{}

// Held says that every run goes on whose start was stored.
func (Kept) Held(process.ID, int) (env.Held, bool) { return env.Held{}, true }

// Forget does nothing: nothing is kept.
func (Kept) Forget(process.ID, int) {}

// Sweep does nothing: nothing is held.
func (Kept) Sweep(context.Context, func(process.ID, int) bool) int { return 0 }
