package server

import (
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/reeverun/reeve/process"
)

// encoded remembers the events that were encoded last, so that an event with a
// thousand subscribers is encoded about once. It is an economy only: what is not
// found here is encoded anew.
type encoded [encodedEvents]atomic.Pointer[encodedEvent]

type encodedEvent struct {
	cursor int64
	json   []byte
}

// How many events are remembered, how long one may be, and how old: what is
// looked up later, in a replay, may have become something else, such as a line
// that is not kept any more.
const (
	encodedEvents = 512
	encodedSize   = 1 << 10
	encodedAge    = 2 * time.Second
)

// marshal is json.Marshal of an event. The bytes are shared.
func (c *encoded) marshal(ev *process.Event) ([]byte, error) {
	if ev.Live() {
		return json.Marshal(ev)
	}
	slot := &c[uint64(ev.Cursor)%encodedEvents]
	fresh := time.Since(ev.At) < encodedAge
	if e := slot.Load(); e != nil && fresh && e.cursor == ev.Cursor {
		return e.json, nil
	}
	b, err := json.Marshal(ev)
	if err == nil && fresh && len(b) <= encodedSize {
		slot.Store(&encodedEvent{ev.Cursor, b})
	}
	return b, err
}
