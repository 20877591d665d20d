package typescript

import (
	"maps"
	"sync"
	"time"

	"github.com/reeverun/reeve/env"
)

// together is how long structured output is gathered: each merge is an event
// and a new version of the record, so a program that calls reeve.output in a loop
// would have its host write the whole of it again and again.
const together = 10 * time.Millisecond

// merger gives structured output to the host, what comes quickly after other
// output together with what follows.
type merger struct {
	host env.Host

	mu      sync.Mutex
	last    time.Time // of a merge
	pending map[string]any
	timer   *time.Timer
}

func (m *merger) add(data map[string]any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pending != nil {
		maps.Copy(m.pending, data)
		return
	}
	if wait := together - time.Since(m.last); wait > 0 {
		m.pending = data
		m.timer = time.AfterFunc(wait, m.flush)
		return
	}
	m.merge(data)
}

func (m *merger) flush() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pending != nil {
		m.merge(m.pending)
	}
}

// merge tells the host; m.mu is held, so that the order stays.
func (m *merger) merge(data map[string]any) {
	m.pending, m.last = nil, time.Now()
	m.host.Output(data)
}

// end merges what is pending. Nothing is added after it.
func (m *merger) end() {
	m.flush()
	if m.timer != nil {
		m.timer.Stop()
	}
}
