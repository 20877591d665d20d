package typescript

import (
	"io"
	"sync"
	"time"

	"github.com/reeverun/reeve/env/typescript/engine"
)

// outbox writes frames to a child that may not read them, in order, by one
// goroutine that lives while there is something to write. Who posts never
// waits.
type outbox struct {
	most int64 // bytes that may wait

	mu      sync.Mutex
	w       io.Writer // nil: not started, or stopped
	pending []byte
	writing chan struct{} // closed when the writer is done; nil: there is none
}

// start writes the first frame and lets others follow.
func (o *outbox) start(w io.Writer, first []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.w = w
	o.pending = append(first, o.pending...)
	o.kick()
}

// post queues a frame; it reports false if the child leaves too much unread.
func (o *outbox) post(t engine.Type, payload []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if int64(len(o.pending)+len(payload)) > o.most {
		return false
	}
	o.pending = engine.AppendFrame(o.pending, t, payload)
	o.kick()
	return true
}

// kick sees to it that what is pending is written; o.mu is held.
func (o *outbox) kick() {
	if o.writing != nil || o.w == nil || len(o.pending) == 0 {
		return
	}
	o.writing = make(chan struct{})
	go o.write()
}

func (o *outbox) write() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.w != nil && len(o.pending) > 0 {
		w, b := o.w, o.pending
		o.pending = nil
		o.mu.Unlock()
		_, err := w.Write(b)
		o.mu.Lock()
		if err != nil { // the child has ended: that is seen by who reads
			o.w = nil
		}
	}
	close(o.writing)
	o.writing = nil
}

// flush waits until all that was posted is written, or for so long.
func (o *outbox) flush(patience time.Duration) {
	o.mu.Lock()
	writing := o.writing
	o.mu.Unlock()
	if writing == nil {
		return
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-writing:
	case <-timer.C:
	}
}

// stop waits for the writer, whose child has ended.
func (o *outbox) stop() {
	o.mu.Lock()
	o.w = nil
	writing := o.writing
	o.mu.Unlock()
	if writing != nil {
		<-writing
	}
}
