package kernel

import (
	"container/heap"
	"sync"
)

// aheadPerSlot is how many runs are claimed ahead for each slot.
const aheadPerSlot = 4

// pool is the slots of one environment with the queue before them: highest
// priority first, then first come, first served.
//
// A run must be claimed, durably, before it starts. To keep a slot from waiting
// for that commit, runs at the head of the queue are claimed ahead, as many as
// there are slots, while others still run:
//
//	queue ──claim(ahead)──▶ in flight ──committed──▶ ready ──slot──▶ begin
//	   └───────────────slot──▶ claim ──committed──▶ start
type pool struct {
	limit int                       // 0: no limit
	claim func(p *proc, ahead bool) // not ahead: it has a slot, and starts
	begin func(*proc)               // starts a run that was claimed ahead
	ahead func(*proc) bool          // whether a run may be; nil: none

	mu     sync.Mutex
	used   int
	flying queue // being claimed ahead
	ready  queue // claimed ahead
	queue  queue
	closed bool
}

// take claims a slot at once if nobody waits for one.
func (s *pool) take() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.limit > 0 && (s.used >= s.limit || len(s.queue)+len(s.ready)+len(s.flying) > 0) {
		return false
	}
	s.used++
	return true
}

// push queues a run; it is started when a slot is free.
func (s *pool) push(p *proc) {
	s.mu.Lock()
	heap.Push(&s.queue, p)
	s.mu.Unlock()
	s.dispatch()
}

// claimed takes a run whose claim ahead is committed; alive is false if it has
// ended meanwhile. The caller holds the run's lock, and dispatches after it.
func (s *pool) claimed(p *proc, alive bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flying.drop(p)
	if alive {
		heap.Push(&s.ready, p)
	}
}

// waiting is how many runs wait for a slot.
func (s *pool) waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queue) + len(s.ready) + len(s.flying)
}

// drop takes a run out of the queue; it reports whether it was there.
func (s *pool) drop(p *proc) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queue.drop(p) || s.ready.drop(p)
}

// free gives a slot back.
func (s *pool) free() {
	s.mu.Lock()
	s.used--
	s.mu.Unlock()
	s.dispatch()
}

// retake takes a slot again that was given back for a while, also where all are
// taken: nothing is started then until enough are free.
func (s *pool) retake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used++
}

// close keeps the queue from starting anything more.
func (s *pool) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

func (s *pool) dispatch() {
	for {
		step := s.next()
		if step == nil {
			return
		}
		step()
	}
}

// next decides what is to be done now; nil: nothing.
func (s *pool) next() func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	if s.limit == 0 || s.used < s.limit {
		switch from := first(&s.ready, &s.flying, &s.queue); from {
		case &s.ready:
			p := heap.Pop(from).(*proc)
			s.used++
			return func() { s.begin(p) }
		case &s.queue:
			p := heap.Pop(from).(*proc)
			s.used++
			return func() { s.claim(p, false) }
		}
	}
	if len(s.queue) > 0 && s.ahead != nil && len(s.flying)+len(s.ready) < aheadPerSlot*s.limit && s.ahead(s.queue[0]) {
		p := heap.Pop(&s.queue).(*proc)
		heap.Push(&s.flying, p)
		return func() { s.claim(p, true) }
	}
	return nil
}

// first returns the queue whose head comes before those of the others; nil if
// all are empty.
func first(queues ...*queue) (best *queue) {
	for _, q := range queues {
		if len(*q) > 0 && (best == nil || before((*q)[0], (*best)[0])) {
			best = q
		}
	}
	return best
}

// before reports whether a is to run before b.
func before(p, q *proc) bool {
	a, b := &p.rec, &q.rec // Spec and ID do not change
	if a.Priority != b.Priority {
		return a.Priority > b.Priority
	}
	return a.ID < b.ID
}

// queue is a heap of waiting runs.
type queue []*proc

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return before(q[i], q[j]) }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(*proc)) }
func (q *queue) Pop() any {
	old := *q
	p := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	return p
}

// drop takes a run out; it reports whether it was there.
func (q *queue) drop(p *proc) bool {
	for i, w := range *q {
		if w == p {
			heap.Remove(q, i)
			return true
		}
	}
	return false
}
