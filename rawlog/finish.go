package rawlog

import (
	"errors"
	"fmt"
	"os"
)

// Finish ends the log: nobody writes any more. It drops what the cap does not
// allow, compresses if so configured, and closes the descriptors. A log in
// memory stays readable until it is removed. It may be called again, and then
// returns the same; a log that could not be compressed stays as it is.
func (l *Log) Finish() error {
	l.once.Do(func() { l.result = l.finish() })
	return l.result
}

func (l *Log) finish() error {
	l.work.Lock()
	defer l.work.Unlock()
	l.quiesce()
	var errs []error
	if l.kept() {
		errs = append(errs, l.settle())
	}
	errs = append(errs, l.detach())
	for i := range l.streams {
		if st := &l.streams[i]; st.packed {
			errs = append(errs, os.Remove(l.path("."+st.id.String())))
		}
	}
	if l.policy != KeepMemory {
		l.logs.leaveThis(l)
	}
	return errors.Join(errs...)
}

// settle brings the log into the form in which it is kept. The state of both
// streams is on disk before either is compressed.
func (l *Log) settle() error {
	var errs []error
	for i := range l.streams {
		st := &l.streams[i]
		errs = append(errs, l.lastLook(st))
		if l.policy == KeepMemory {
			errs = append(errs, l.toHeap(st))
		} else {
			errs = append(errs, l.trim(st, l.Size(st.id), 1, false))
		}
	}
	for i := range l.streams {
		if l.policy == KeepGzip {
			errs = append(errs, l.compress(&l.streams[i]))
		}
	}
	return errors.Join(errs...)
}

// lastLook notices a truncation that nobody has read after.
func (l *Log) lastLook(st *stream) error {
	if st.b == nil {
		return nil
	}
	n, err := st.b.size()
	if err == nil && st.base+n < st.pos.Load() {
		err = l.rewind(st)
	}
	return err
}

// kept tells whether there is something to keep.
func (l *Log) kept() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return !l.finished && !l.removed && l.policy != KeepNothing
}

// quiesce lets no new writes or watches begin.
func (l *Log) quiesce() {
	l.mu.Lock()
	l.closing = true
	l.mu.Unlock()
	l.disarm()
}

// abandon closes the log and leaves it as it is, unless it is finished or about
// to be, which it waits for.
func (l *Log) abandon() error {
	var err error
	l.once.Do(func() {
		l.quiesce()
		err = l.detach()
	})
	return err
}

// detach closes the descriptors.
func (l *Log) detach() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.finished {
		return nil
	}
	errs := []error{l.idx.close()}
	for i := range l.streams {
		st := &l.streams[i]
		st.end = st.size()
		if st.b != nil {
			errs = append(errs, st.b.close())
			st.b = nil
		}
	}
	l.finished = true
	l.signal() // whoever waits finds out
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close log of %d-%d: %w", l.id, l.run, err)
	}
	return nil
}

// forget makes a log that is being removed unreadable. A live one goes on
// writing to files without a name until it is finished; one that is being
// finished is waited for, as it might make files yet.
func (l *Log) forget() {
	l.mu.Lock()
	l.removed, l.heap = true, nil
	l.mu.Unlock()
	l.signal()
	l.work.Lock()
	defer l.work.Unlock()
}

// compress makes the stream's compressed file. Its plain one is removed when
// nobody has it open any more.
func (l *Log) compress(st *stream) error {
	if st.b == nil {
		return nil
	}
	if err := packFile(l.path("."+st.id.String()), st.b, st.base, st.hole); err != nil {
		return fmt.Errorf("compress log of %d-%d: %w", l.id, l.run, err)
	}
	st.packed = true
	return nil
}
