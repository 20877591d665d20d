package rawlog

import "fmt"

// memoryStep is how much memory is freed at once behind a busy reader. To free
// holds up the writer, in small pieces twice as long.
const memoryStep = 1 << 20

// limits returns how many bytes of a stream's beginning and end are kept, and
// the steps in which its middle is dropped: while it is busy, and when it is
// idle, as nothing may come for long then.
func (l *Log) limits() (head, tail, step, idle int64) {
	c := l.logs.cfg.Cap
	switch l.policy {
	case KeepNothing:
		return 0, sampleSize, memoryStep, pageSize
	case KeepMemory:
		c = l.logs.cfg.MemoryCap
	}
	head, tail, step = c/2, c-c/2, max(c/16, 1)
	if l.policy == KeepMemory {
		return head, tail, max(step, memoryStep), step
	}
	return head, tail, step, step
}

// Consumed says that the bytes of a stream below off are read and indexed. It
// drops what the cap does not allow. That it cannot, is said once; the log then
// grows.
func (l *Log) Consumed(s Stream, off int64) error {
	st := &l.streams[s]
	st.used = max(st.used, min(off, st.pos.Load()))
	if err := st.unsaid; err != nil {
		st.unsaid = nil
		return err
	}
	_, _, step, _ := l.limits()
	return l.trim(st, st.used, step, true)
}

// idle drops what waits for a larger step.
func (l *Log) idle() {
	_, _, _, step := l.limits()
	for i := range l.streams {
		st := &l.streams[i]
		if err := l.trim(st, st.used, step, true); err != nil {
			st.unsaid = err
		}
	}
}

// trim drops the middle of what is below off, if it is at least step bytes.
// The hole is recorded before it is made: zeros are never taken for output.
func (l *Log) trim(st *stream, off, step int64, pump bool) error {
	if !l.due(st, off, step) {
		return nil
	}
	l.mu.Lock()
	old := st.hole
	hole, ok := st.grow(off, step)
	if !ok || st.b == nil || l.finished || l.removed {
		l.mu.Unlock()
		return nil
	}
	if err := l.idx.save(st.id, st.base, hole); err != nil {
		l.mu.Unlock()
		return err
	}
	st.hole = hole
	l.mu.Unlock()

	l.mu.RLock()
	err := st.punch(old, hole)
	l.mu.RUnlock()

	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		st.hole, st.full = old, err
		_ = l.idx.save(st.id, st.base, old)
		return fmt.Errorf("cap log of %d-%d: %w", l.id, l.run, err)
	}
	if pump {
		st.seen.forget(st.pos.Load(), st.base, hole)
	}
	return l.idx.drop(st.id, l.allHoles())
}

// punch frees what hole has more than old. It begins with the block in which
// old ends, of which only now the whole is free.
func (st *stream) punch(old, hole Span) error {
	if st.b == nil {
		return nil // closed meanwhile
	}
	from := hole.From - st.base
	if old.Len() > 0 {
		from = max(from, (old.To-st.base)/maxBlock*maxBlock)
	}
	return st.b.punch(from, hole.To-st.base)
}

// maxBlock is the largest block of a file system.
const maxBlock = 64 << 10

// due tells, without holding anybody up, whether trim may have something to do.
func (l *Log) due(st *stream, off, step int64) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	head, tail, _, _ := l.limits()
	if st.full != nil || st.b == nil || l.finished {
		return false
	}
	if st.hole.Len() == 0 {
		return off-st.base >= head+tail+step
	}
	return off-tail-st.hole.To >= step
}

// pageSize is the unit of dropping where no entries have to be respected.
const pageSize = 4096

// grow returns the hole that leaves head and tail of what is below off.
func (st *stream) grow(off, step int64) (Span, bool) {
	head, tail, _, _ := st.log.limits()
	h, want := st.hole, off-tail
	if h.Len() == 0 {
		h.From = st.base + head
		if b, ok := borderUpTo(st.log.idx, st.id, h.From); ok && b >= st.base {
			h.From = b
		}
		h.To = h.From
	}
	to := want
	if st.log.policy == KeepNothing {
		to -= (want - st.base) % pageSize
	} else if b, ok := st.tailBorder(want, off, h.To); ok {
		to = b
	} else if st.log.idx.len() > 0 && want-h.To < 4*step {
		return h, false // an entry larger than the step: wait for its end
	}
	if to <= h.To {
		return h, false
	}
	h.To = to
	return h, true
}

// tailBorder returns the entry border nearest to want, rather after it than
// before, so that the cap holds.
func (st *stream) tailBorder(want, off, after int64) (int64, bool) {
	b, ok := borderFrom(st.log.idx, st.id, want)
	if ok && b <= want+(off-want)/2 {
		return b, true
	}
	b, ok = borderUpTo(st.log.idx, st.id, want)
	return b, ok && b > after
}

// forget gives up what the hole has taken from the sample.
func (m *sample) forget(pos, base int64, hole Span) {
	if hole.Len() == 0 {
		return
	}
	if hole.From-base < sampleSize {
		m.nhead = min(m.nhead, int(hole.From-base))
	}
	if keep := int(min(sampleSize, pos-hole.To)); keep < m.ntail {
		copy(m.tail[:], m.tail[m.ntail-max(0, keep):m.ntail])
		m.ntail = max(0, keep)
	}
}
