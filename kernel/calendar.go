package kernel

import (
	"context"
	"sync"
	"time"

	"github.com/reeverun/reeve/process"
)

// Clocks are set, forward and back, by people and by programs. Durations are
// measured without them. Where the date itself counts, which is for retention
// only, it is believed when it has been so for a while: a clock that jumps years
// ahead must not cost years of logs.

// How a date is believed.
const (
	saneJump  = 24 * time.Hour     // a clock may be set by so much at once
	saneGap   = 7 * 24 * time.Hour // nobody may have used the store for so long
	believeIn = 24 * time.Hour     // a date that is further off
)

// calendar tells the date by which retention goes.
type calendar struct {
	wall func() time.Time // the clock that people set
	tick func() time.Time // one that nobody does

	mu      sync.Mutex
	base    time.Time // the date that was believed last ...
	at      time.Time // ... and when
	doubted time.Time // since when the clock tells another date; zero: it does not
}

// newCalendar begins with the clock's date, unless that lies far ahead of the
// last thing that is known to have happened.
func newCalendar(wall func() time.Time, last time.Time) *calendar {
	c := &calendar{wall: wall, tick: time.Now}
	c.base, c.at = wall(), c.tick()
	if !last.IsZero() && c.base.Sub(last) > saneGap {
		c.base = last
	}
	return c
}

// today is the date to go by. The clock may lag as it likes: then less is
// removed.
func (c *calendar) today() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, tick := c.wall(), c.tick()
	expected := c.base.Add(tick.Sub(c.at))
	switch {
	case now.Sub(expected) <= saneJump:
		c.doubted = time.Time{}
	case c.doubted.IsZero():
		c.doubted = tick
		return expected
	case tick.Sub(c.doubted) < believeIn:
		return expected
	}
	c.base, c.at, c.doubted = now, tick, time.Time{}
	return now
}

// suspicious reports whether the clock is ahead of what is believed.
func (c *calendar) suspicious() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.doubted.IsZero()
}

// lastDate is when the newest process was created, or ended; zero: there is none.
func (k *Kernel) lastDate(ctx context.Context) (last time.Time) {
	page, err := k.cfg.Store.Processes(ctx, process.Query{Limit: 1, NoCode: true})
	if err != nil || len(page) == 0 {
		return last
	}
	last = page[0].CreatedAt
	if page[0].CompletedAt.After(last) {
		last = page[0].CompletedAt
	}
	return last
}

// notBefore is now, but not before another time: no clock makes a run end before
// it began.
func (k *Kernel) notBefore(t time.Time) time.Time {
	if now := k.now(); now.After(t) {
		return now
	}
	return t
}
