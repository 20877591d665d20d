package notify

import (
	"context"
	"time"

	"github.com/reeverun/reeve/process"
)

// saveAgain is how long to wait when the store refuses.
const saveAgain = time.Second

// key names a notification.
type key struct {
	process process.ID
	run     int
}

// lane is the queue of one host.
type lane struct {
	next     time.Time    // when to look at it again; zero: not before there is news
	flying   map[key]bool // attempts under way, or not yet stored
	troubled bool         // the last attempt failed
}

func (l *lane) room() int {
	if l.troubled {
		return 1 - len(l.flying)
	}
	return maxPerHost - len(l.flying)
}

// sender is the state of the dispatcher's goroutine, and its alone.
type sender struct {
	*Dispatcher
	ctx     context.Context // of the attempts
	lanes   map[string]*lane
	flying  int
	unsaved []process.Notification // the store did not take them yet
	saveAt  time.Time
	refused bool // the log knows
	ending  bool // it closes
}

// run is the dispatcher's goroutine.
func (d *Dispatcher) run() {
	defer close(d.ended)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := &sender{Dispatcher: d, ctx: ctx, lanes: map[string]*lane{}}
	closing := d.closing
	var over <-chan time.Time
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		s.hear()
		s.saveLate()
		s.launch()
		if s.ending && s.flying == len(s.unsaved) { // nothing is under way
			return
		}
		timer.Stop()
		if at := s.nextLook(); !at.IsZero() {
			timer.Reset(max(0, time.Until(at)))
		}
		select {
		case <-d.wake:
		case r := <-d.results:
			s.settle(r)
		case <-timer.C:
		case <-closing:
			closing, s.ending = nil, true
			over = time.After(d.lingers())
		case <-over:
			cancel()
		}
	}
}

func (d *Dispatcher) lingers() time.Duration {
	if d.cfg.Volatile {
		return lingerVolatile
	}
	return linger
}

// hear takes in what it was told of.
func (s *sender) hear() {
	s.mu.Lock()
	news := s.news
	s.news = map[string]time.Time{}
	s.mu.Unlock()
	for host, at := range news {
		l := s.lanes[host]
		if l == nil {
			l = &lane{flying: map[key]bool{}}
			s.lanes[host] = l
		}
		l.lookAt(at)
	}
}

// lookAt has the lane looked at by then.
func (l *lane) lookAt(at time.Time) {
	if at = steady(at); l.next.IsZero() || at.Before(l.next) {
		l.next = at
	}
}

// steady is a time of the store that does not move when the clock is set.
func steady(at time.Time) time.Time {
	now := time.Now()
	return now.Add(at.Sub(now))
}

// launch begins what is due, as far as there is room.
func (s *sender) launch() {
	if s.ctx.Err() != nil || s.ending && !s.cfg.Volatile {
		return
	}
	now := time.Now()
	troubled := 0
	for _, l := range s.lanes {
		if l.troubled {
			troubled += len(l.flying)
		}
	}
	for host, l := range s.lanes {
		room := min(l.room(), maxFlying-s.flying)
		if l.troubled {
			room = min(room, maxFlying/2-troubled)
		}
		if room > 0 && !l.next.IsZero() && !l.next.After(now) {
			begun := s.launchLane(host, l, room, now)
			if l.troubled {
				troubled += begun
			}
		}
		if l.next.IsZero() && len(l.flying) == 0 {
			delete(s.lanes, host)
		}
	}
}

// launchLane begins up to room attempts, and notes when to look again.
func (s *sender) launchLane(host string, l *lane, room int, now time.Time) (begun int) {
	limit := room + len(l.flying) + 1 // one more, to know when that is due
	page, err := s.cfg.Store.DueNotifications(s.ctx, host, limit)
	if err != nil {
		s.log.Error("read due notifications; trying again", "host", host, "error", err)
		l.next = now.Add(saveAgain)
		return 0
	}
	l.next = time.Time{}
	for _, n := range page {
		k := key{n.Process, n.Run}
		if l.flying[k] {
			continue
		}
		at := dueAt(&n, now)
		if at.After(now) || begun == room {
			l.next = steady(at)
			break
		}
		if s.ending && n.Attempts > 0 {
			continue
		}
		l.flying[k] = true
		s.flying++
		begun++
		go func() { s.results <- s.attempt(s.ctx, n) }() // settle counts it off, and run waits for that
	}
	return begun
}

// nextLook is when there is something to do that nobody tells of; zero: never.
func (s *sender) nextLook() (first time.Time) {
	soonest := func(t time.Time) {
		if first.IsZero() || t.Before(first) {
			first = t
		}
	}
	if len(s.unsaved) > 0 {
		soonest(s.saveAt)
	}
	now := time.Now()
	for _, l := range s.lanes {
		// One that is due and has no room is looked at when an attempt ends.
		if !l.next.IsZero() && l.next.After(now) {
			soonest(l.next)
		}
	}
	return first
}

// settle takes results, as many as there are, and stores them in one go.
func (s *sender) settle(r result) {
	var done []process.Notification
	for {
		if n, tried := s.take(r); tried {
			done = append(done, n)
		}
		select {
		case r = <-s.results:
			continue
		default:
		}
		break
	}
	s.save(done)
}

// take counts off an attempt that was dropped, and makes of any other what is to
// be stored.
func (s *sender) take(r result) (process.Notification, bool) {
	if r.dropped {
		s.land(&r.n)
		return r.n, false
	}
	n := after(r.n, r.answer, r.at)
	l := s.lanes[n.Host]
	l.troubled = n.State != process.NotificationDelivered
	switch n.State {
	case process.NotificationDelivered:
		s.stats.delivered.Add(1)
	case process.NotificationFailed:
		s.stats.failed.Add(1)
		s.log.Warn("a notification was given up", "process", n.Process, "run", n.Run, "host", n.Host,
			"attempts", n.Attempts, "error", n.LastError)
	default:
		s.stats.retried.Add(1)
		s.log.Debug("a notification was not delivered", "process", n.Process, "run", n.Run, "host", n.Host,
			"attempts", n.Attempts, "error", n.LastError, "next", n.DueAt)
	}
	return n, true
}

// save stores what became of notifications. Those that the store does not take
// count as under way: what cannot be written down is not tried again meanwhile.
func (s *sender) save(done []process.Notification) {
	if len(done) == 0 {
		return
	}
	if err := s.cfg.Store.SaveNotifications(context.WithoutCancel(s.ctx), done); err != nil {
		if !s.refused {
			s.log.Error("store what became of notifications; trying again", "error", err)
		}
		s.refused = true
		s.unsaved = append(s.unsaved, done...)
		s.saveAt = time.Now().Add(saveAgain)
		return
	}
	s.refused = false
	for i := range done {
		s.land(&done[i])
	}
}

// saveLate tries again what the store refused.
func (s *sender) saveLate() {
	if len(s.unsaved) == 0 || time.Now().Before(s.saveAt) && !s.ending {
		return
	}
	late := s.unsaved
	s.unsaved = nil
	s.save(late)
}

// land counts off an attempt that is over and stored.
func (s *sender) land(n *process.Notification) {
	l := s.lanes[n.Host]
	delete(l.flying, key{n.Process, n.Run})
	s.flying--
	if !n.DueAt.IsZero() {
		l.lookAt(n.DueAt)
	}
}
