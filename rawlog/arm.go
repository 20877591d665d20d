package rawlog

import (
	"sync"
	"time"
)

// pollEvery is the pause between looks at files that cannot be watched.
const pollEvery = 20 * time.Millisecond

// Arm asks for one signal on Wake when something is written. It returns true,
// and promises no signal, if there are unread bytes already.
func (l *Log) Arm() (ready bool) {
	l.idle()
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.closing || l.finished {
		return false
	}
	if l.unread() {
		return true
	}
	polled := false
	for i := range l.streams {
		st := &l.streams[i]
		if st.b == nil {
			continue
		}
		path, writers := st.b.watchPath()
		if writers && (path == "" || l.logs.watch.add(st, path) != nil) {
			polled = true
		}
	}
	if l.unread() { // written before the watch was there
		return true
	}
	if polled {
		l.poll.start(l.pollTick)
	}
	return false
}

// unread tells whether a file's size is not where reading stopped; a smaller
// one was truncated and has to be read too.
func (l *Log) unread() bool {
	for i := range l.streams {
		st := &l.streams[i]
		if st.b == nil {
			continue
		}
		if n, err := st.b.size(); err == nil && st.base+n != st.pos.Load() {
			return true
		}
	}
	return false
}

// pollTick looks at the files and tells the poller whether to go on.
func (l *Log) pollTick() (again bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.finished {
		return false
	}
	if l.unread() {
		l.signal()
		return false
	}
	return true
}

// disarm ends all notification.
func (l *Log) disarm() {
	for i := range l.streams {
		l.logs.watch.remove(&l.streams[i])
	}
	l.poll.stop()
}

// poller calls a function every now and then until it returns false.
type poller struct {
	mu      sync.Mutex
	t       *time.Timer // nil: none is set
	stopped bool
}

func (p *poller) start(tick func() bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.t == nil && !p.stopped {
		p.t = time.AfterFunc(pollEvery, func() { p.run(tick) })
	}
}

// run gives up its timer first: a tick that returns false may have led to a new
// start already.
func (p *poller) run(tick func() bool) {
	p.mu.Lock()
	p.t = nil
	p.mu.Unlock()
	if tick() {
		p.start(tick)
	}
}

// stop ends the poller for good.
func (p *poller) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	if p.t != nil {
		p.t.Stop()
	}
}
