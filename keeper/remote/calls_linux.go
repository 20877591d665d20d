package remote

import (
	"context"
	"encoding/json"
	"errors"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/internal/wire"
)

// handle works on a frame, in a goroutine of its own where that may take a
// while. It reports whether the connection may go on: who sends what cannot be
// read is not listened to any more.
func (n *session) handle(ctx context.Context, f wire.Frame) bool {
	if f.Kind == spawn && f.Short {
		n.reply(f.Number, nil, &keeper.SpawnError{Op: keeper.OpHold, Path: "its descriptors", Err: unix.EMFILE, Hint: "raise the keeper's limit of open files"})
		return true
	}
	if f.Kind == spawn {
		n.work(func() { n.spawn(ctx, f) })
		return true
	}
	for _, fd := range f.Files {
		unix.Close(fd)
	}
	switch f.Kind {
	case cancel:
		n.cancel(f.Number)
		return true
	case shutdown:
		n.calls.Go(func() { n.shutdown(f.Number) })
		return true
	}
	r, data, err := decodeRequest(f)
	if err != nil {
		return false
	}
	e, err := n.server.find(r.Name)
	if err != nil {
		return n.unknown(f, r.Name, err)
	}
	return n.request(ctx, f, e, r, data)
}

// request works on a request about a job.
func (n *session) request(ctx context.Context, f wire.Frame, e *entry, r request, data []byte) bool {
	switch f.Kind {
	case kill:
		if e.job != nil {
			e.job.Kill()
		}
		return true
	case release:
		n.server.release(e)
		return true
	case input:
		ctx := n.cancellable(ctx, f.Number)
		n.calls.Go(func() {
			defer n.cancel(f.Number)
			took, err := e.write(ctx, data)
			n.replyPartly(f.Number, took, err)
		})
		return true
	}
	do := n.server.call(f.Kind, e, r)
	if do == nil {
		n.reply(f.Number, nil, errors.ErrUnsupported)
		return true
	}
	ctx = n.cancellable(ctx, f.Number)
	n.work(func() {
		defer n.cancel(f.Number)
		v, err := do(ctx)
		n.reply(f.Number, v, err)
	})
	return true
}

// unknown answers a request about a job that is not there.
func (n *session) unknown(f wire.Frame, name string, err error) bool {
	switch f.Kind {
	case kill:
	case release:
		_ = n.conn.Send(wire.Frame{Kind: forgotten, Body: []byte(name)})
	default:
		n.reply(f.Number, nil, err)
	}
	return true
}

func decodeRequest(f wire.Frame) (r request, data []byte, err error) {
	if f.Kind != input {
		return r, nil, json.Unmarshal(f.Body, &r)
	}
	names, data, err := wire.TakeStrings(f.Body)
	if err != nil || len(names) != 1 {
		return r, nil, wire.ErrMalformed
	}
	return request{Name: names[0]}, data, nil
}

// call returns what a request asks for, or nil if there is no such request.
func (s *server) call(k wire.Kind, e *entry, r request) func(context.Context) (any, error) {
	j, _ := e.job.(interface {
		keeper.Countable
		keeper.Interactive
	})
	if j == nil { // an earlier keeper saw its end
		return func(context.Context) (any, error) { return nil, keeper.ErrLost }
	}
	switch k {
	case signal:
		return func(context.Context) (any, error) { return j.Signal(r.Signal) }
	case freeze:
		return func(ctx context.Context) (any, error) { return nil, s.frozen(e, j.Freeze(ctx)) }
	case thaw:
		return func(context.Context) (any, error) { return nil, s.frozen(e, j.Thaw()) }
	case members:
		return func(context.Context) (any, error) {
			all := j.Members()
			return all[:min(len(all), maxMembers)], nil
		}
	case count:
		return func(context.Context) (any, error) { return j.Count(), nil }
	case usage:
		return func(context.Context) (any, error) { return j.Usage(), nil }
	case closeInput:
		return func(context.Context) (any, error) { return nil, j.CloseInput() }
	case resize:
		return func(context.Context) (any, error) { return nil, j.Resize(r.Window) }
	}
	return nil
}

// frozen passes on the result of a freeze or a thaw, and tells what is so now.
func (s *server) frozen(e *entry, err error) error {
	s.change(e, false, func(i *Info) { i.Frozen = e.job.(keeper.Traceable).Frozen() })
	return err
}

// errBusy is for a client that does not wait for its answers.
var errBusy = errors.New("another write to this job's input is under way")

func (e *entry) write(ctx context.Context, data []byte) (int, error) {
	j, ok := e.job.(keeper.Interactive)
	if !ok {
		return 0, keeper.ErrNoInput
	}
	if !e.input.TryLock() {
		return 0, errBusy
	}
	defer e.input.Unlock()
	return j.Input(ctx, data)
}
