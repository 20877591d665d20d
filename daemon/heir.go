package daemon

import (
	"log/slog"
	"net/http"
	"sync/atomic"

	"github.com/reeverun/reeve/daemon/handover"
	"github.com/reeverun/reeve/process"
)

// heir is a daemon that is to replace this one.
type heir struct {
	*handover.Peer
	handover.Request
}

// heirs takes requests for the daemon's place, one at a time.
type heirs struct {
	log   *slog.Logger
	taken atomic.Bool // by one that asked, or because the daemon stops
	over  atomic.Bool // it stops
	asked chan *heir  // holds one
}

// handler answers requests for the place, and passes others on.
func (hs *heirs) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != handover.Path || r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		if !hs.taken.CompareAndSwap(false, true) {
			hs.refuse(w)
			return
		}
		p, asked, err := handover.Accept(w, r)
		if err != nil {
			hs.log.Warn("a request for this daemon's place was refused", "error", err)
			hs.taken.Store(hs.over.Load())
			return
		}
		hs.asked <- &heir{p, asked} // there is room: it has the place
		if hs.over.Load() {
			hs.close()
		}
	})
}

func (hs *heirs) refuse(w http.ResponseWriter) {
	code, why := process.CodeOwned, "another daemon is replacing the one that runs at this moment: look with 'reeve version', and try again"
	if hs.over.Load() {
		code, why = process.CodeShuttingDown, "the daemon that runs is being stopped: start this one when it has ended"
	}
	_ = handover.Refuse(w, http.StatusConflict, code, why)
}

// close refuses all that asks, and has asked.
func (hs *heirs) close() {
	hs.over.Store(true)
	hs.taken.Store(true)
	select {
	case h := <-hs.asked:
		h.Close()
	default:
	}
}
