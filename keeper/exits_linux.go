package keeper

import "syscall"

// exits is how the ends of processes become known. Here each has a pidfd in
// Go's own poller, so there is nothing to share but who starts them.
type exits struct{ crew *crew }

func newExits(o Options) (*exits, error) {
	w, err := newCrew(o, "")
	return &exits{crew: w}, err
}

func (x *exits) close() error { return x.crew.close() }

// holds reports whether a job is held by a worker, hold starts one.
func (x *exits) holds(c *command) bool { return x.crew.nested(c) }

func (x *exits) hold(c *command) (tree, int, error) { return x.crew.hold(c, nil) }

// lease is what bounds a job; the zero one, an adopted job's, bounds nothing.
type lease struct {
	bounds *bounds
	bound  bound
}

func (l *lease) overran() Limit { return l.bound.overran() }

func (l *lease) end() {
	if l.bounds != nil {
		l.bounds.discard(l.bound)
	}
}

// start starts a command in its bounds.
func (x *exits) start(c *command, sys *syscall.SysProcAttr) (*child, lease, error) {
	l := lease{bounds: x.crew.bounds, bound: x.crew.bounds.prepare("")}
	l.bounds.set(&l.bound, "", c.limits, startPIDs, &c.told)
	ch, err := x.crew.start(c, sys, &l.bound)
	if err != nil {
		l.end()
		return nil, l, err
	}
	return ch, l, nil
}

func (x *exits) watch() *watch { return &watch{} }
