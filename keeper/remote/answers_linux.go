package remote

import (
	"context"
	"errors"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/internal/wire"
)

// spawn starts a job, tells it, and follows it.
func (n *session) spawn(ctx context.Context, f wire.Frame) {
	s := n.server
	spec, err := decodeSpec(f)
	defer closeFiles(spec)
	if errors.Is(err, wire.ErrMalformed) {
		n.conn.Close()
		return
	}
	if err != nil {
		n.reply(f.Number, nil, err)
		return
	}
	e, err := s.reserve(n, spec.Name)
	if err != nil {
		n.reply(f.Number, nil, err)
		return
	}
	defer n.starting.Done()
	line, err := s.start(ctx, e, spec)
	if err != nil {
		n.reply(f.Number, nil, err)
		return
	}
	var files []int
	if fd, err := e.job.(keeper.Traceable).Pidfd(); err == nil {
		defer unix.Close(fd)
		files = []int{fd}
	}
	s.show(n, e, f.Number, line, files)
	s.following.Go(func() { s.follow(e) })
}

// shutdown ends everything, and tells when it is done.
func (n *session) shutdown(number uint64) {
	s := n.server
	s.mu.Lock()
	allowed := s.client == n && !s.stopping
	s.stopping = s.stopping || allowed
	s.mu.Unlock()
	if !allowed {
		n.reply(number, nil, ErrTakenOver)
		return
	}
	n.reply(number, nil, s.endAll())
	_ = n.conn.Flush()
	close(s.over)
}

// work has a request worked on, when there is room for it.
func (n *session) work(f func()) {
	n.slots <- struct{}{}
	n.calls.Go(func() {
		defer func() { <-n.slots }()
		f()
	})
}

// cancellable is a context that the client can cancel by number.
func (n *session) cancellable(ctx context.Context, number uint64) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	n.mu.Lock()
	defer n.mu.Unlock()
	if old := n.cancels[number]; old != nil {
		old() // a number used twice is the client's mistake
	}
	n.cancels[number] = cancel
	return ctx
}

func (n *session) cancel(number uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if cancel := n.cancels[number]; cancel != nil {
		cancel()
		delete(n.cancels, number)
	}
}

// reply answers a request.
func (n *session) reply(number uint64, v any, err error) {
	f := wire.Frame{Kind: answer, Number: number}
	switch {
	case err != nil:
		f.Kind, f.Body = failed, encodeError(err)
	case v != nil:
		f.Body = encode(v)
	}
	_ = n.conn.Send(f)
}

// taken is the answer to a write of input: how much was taken, and why not all.
type taken struct {
	Bytes int      `json:"bytes"`
	Error *failure `json:"error,omitempty"`
}

func (n *session) replyPartly(number uint64, bytes int, err error) {
	t := taken{Bytes: bytes}
	if err != nil {
		t.Error = newFailure(err)
	}
	n.reply(number, t, nil)
}
