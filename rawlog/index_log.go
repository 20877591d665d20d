package rawlog

// Index appends entries to the log's index, in the order of their numbers. They
// are written when it returns; where that fails they are remembered and written
// with the next ones.
func (l *Log) Index(es ...Entry) error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	l.imu.Lock()
	defer l.imu.Unlock()
	if l.finished || l.removed {
		return ErrFinished
	}
	rs := make([]record, 0, len(es))
	for _, e := range es {
		r, err := l.tail.push(e)
		if err != nil {
			return err
		}
		rs = append(rs, r)
	}
	return l.idx.add(rs)
}

// Last returns the numbers of the last line indexed; zeros if there is none.
func (l *Log) Last() (seq, cursor int64) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	l.imu.RLock()
	defer l.imu.RUnlock()
	return l.tail.seq, l.tail.cursor
}
