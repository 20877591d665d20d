package daemon

import (
	"net"
	"net/http"
	"sync"
)

// callers are the connections of a service on which something is to be answered:
// a request, or the one that is still to come.
type callers struct {
	mu  sync.Mutex
	all map[net.Conn]http.ConnState // new or active
}

// note is a server's ConnState.
func (cs *callers) note(c net.Conn, state http.ConnState) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if state != http.StateNew && state != http.StateActive {
		delete(cs.all, c)
		return
	}
	if cs.all == nil {
		cs.all = map[net.Conn]http.ConnState{}
	}
	cs.all[c] = state
}

func (cs *callers) any() bool {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return len(cs.all) > 0
}

// cutSilent closes the connections on which nobody has asked anything yet, such
// as those that browsers open ahead.
func (cs *callers) cutSilent() {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for c, state := range cs.all {
		if state == http.StateNew {
			_ = c.Close()
		}
	}
}
