package kernel

import (
	"container/heap"
	"sync"
)

// pool is the slots of one environment with the queue before them: highest
// priority first, then first come, first served.
type pool struct {
	limit int // 0: no limit
	start func(*proc)

	mu     sync.Mutex
	used   int
	queue  queue
	closed bool
}

// take claims a slot at once if nobody waits for one.
func (s *pool) take() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.limit > 0 && (s.used >= s.limit || len(s.queue) > 0) {
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

// drop takes a run out of the queue; it reports whether it was there.
func (s *pool) drop(p *proc) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, q := range s.queue {
		if q == p {
			heap.Remove(&s.queue, i)
			return true
		}
	}
	return false
}

// free gives a slot back.
func (s *pool) free() {
	s.mu.Lock()
	s.used--
	s.mu.Unlock()
	s.dispatch()
}

// close keeps the queue from starting anything more.
func (s *pool) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

func (s *pool) dispatch() {
	for {
		s.mu.Lock()
		if s.closed || len(s.queue) == 0 || s.limit > 0 && s.used >= s.limit {
			s.mu.Unlock()
			return
		}
		p := heap.Pop(&s.queue).(*proc)
		s.used++
		s.mu.Unlock()
		s.start(p)
	}
}

// queue is a heap of waiting runs.
type queue []*proc

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	a, b := &q[i].rec, &q[j].rec // Spec and ID do not change
	if a.Priority != b.Priority {
		return a.Priority > b.Priority
	}
	return a.ID < b.ID
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(*proc)) }
func (q *queue) Pop() any {
	old := *q
	p := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	return p
}
