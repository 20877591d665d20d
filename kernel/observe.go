package kernel

import "context"

// Moment is when an observer is called.
type Moment int

// The moments of a process that are observed.
const (
	Created  Moment = iota // the process exists
	Started                // a run executes
	Finished               // a run is over
	Stalled                // nothing was heard of a run for longer than its heartbeat
)

// observeStart is the end of the commit that stored a start.
func (p *proc) observeStart(err error) {
	if err == nil {
		p.observe(context.Background(), Started)
	}
}

// observe tells the observer of what was just committed. The observer must not
// block, and not change the record. ctx is that of the create, for Created.
func (p *proc) observe(ctx context.Context, m Moment) {
	if f := p.k.cfg.Observe; f != nil {
		f(ctx, m, p.view.Load())
	}
}
