package tui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
)

const (
	// ahead is how many events may be read before they are shown. A follower that
	// is further ahead waits; the daemon does not, and what it then leaves out
	// is read again from what it stored.
	ahead = 8192
	// frame is the least time between two batches of events.
	frame = 33 * time.Millisecond
)

// followedMsg is what a follower has read.
type followedMsg struct {
	tail   int // which it is for
	events []process.Event
	over   bool // there will be no more
	err    error
}

// follower reads the events of one process as they come, in a goroutine of its
// own, and connects again where it was when the connection breaks.
type follower struct {
	tail   int
	events chan process.Event // closed at the end
	err    error              // why it ended; read after events is closed
	end    context.CancelFunc
	told   time.Time // when next last returned; its own
}

// follow makes a follower and the command that is its goroutine: as a command it
// gives the terminal back, should it panic.
func (e *effects) follow(tail int, id process.ID, kinds Kinds, after int64) (*follower, tea.Cmd) {
	f := &follower{tail: tail, events: make(chan process.Event, ahead)}
	ctx, end := context.WithCancel(e.life)
	f.end = end
	return f, e.do(func(context.Context) tea.Msg {
		defer end()
		defer close(f.events)
		f.err = f.run(ctx, e.source, id, kinds, after)
		return nil
	})
}

func (f *follower) run(ctx context.Context, source Source, id process.ID, kinds Kinds, after int64) error {
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		var broken error
		for ev, err := range source.Follow(ctx, id, kinds, after) {
			if err == nil && ev.Kind == process.KindLagged {
				err = errEnded // what was missed is stored: it is read from there
			}
			if err != nil {
				broken = err
				break
			}
			if !ev.Live() {
				after = ev.Seq
			}
			wait = 100 * time.Millisecond
			select {
			case f.events <- ev:
			case <-ctx.Done():
				return nil
			}
		}
		if broken == nil || ctx.Err() != nil {
			return nil
		}
		if final(broken) {
			return broken
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil
		}
	}
}

// final reports whether the daemon itself said no.
func final(err error) bool {
	var status *client.StatusError
	return errors.As(err, &status) && status.Status < 500 && status.Status != 429
}

// next waits for events and takes all there are.
func (f *follower) next(ctx context.Context) tea.Msg {
	if wait := frame - time.Since(f.told); wait > 0 {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil
		}
	}
	msg := followedMsg{tail: f.tail}
	select {
	case ev, more := <-f.events:
		msg.take(f, ev, more)
	case <-ctx.Done():
		return nil
	}
	for !msg.over && len(msg.events) < ahead {
		select {
		case ev, more := <-f.events:
			msg.take(f, ev, more)
			continue
		default:
		}
		break
	}
	f.told = time.Now()
	return msg
}

func (m *followedMsg) take(f *follower, ev process.Event, more bool) {
	if !more {
		m.over, m.err = true, f.err
		return
	}
	m.events = append(m.events, ev)
}
