package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/reeverun/reeve/process"
)

// Target returns the process a change is about: its ID, or that of the process
// it carries.
func (c *Change) Target() process.ID {
	switch {
	case c.ID != 0:
		return c.ID
	case c.Insert != nil:
		return c.Insert.ID
	case c.Update != nil:
		return c.Update.ID
	case len(c.Events) > 0:
		return c.Events[0].Process
	case len(c.Approvals) > 0:
		return c.Approvals[0].Process
	case len(c.Notifications) > 0:
		return c.Notifications[0].Process
	}
	return 0
}

// Check reports what makes a change one that no store accepts, whatever it
// holds: parts about different processes, unknown states, events and messages
// that are not in order or not to be stored. It finds mistakes of the caller, so stores
// share it and apply nothing of a batch that has one.
func (c *Change) Check() error {
	id := c.Target()
	if id <= 0 {
		return errors.New("a change names no process")
	}
	for _, p := range []*process.Process{c.Insert, c.Update} {
		if p == nil {
			continue
		}
		if p.ID != id {
			return fmt.Errorf("a change of process %d carries process %d", id, p.ID)
		}
		if err := checkStates(p); err != nil {
			return fmt.Errorf("process %d: %w", id, err)
		}
	}
	if err := checkApprovals(id, c.Approvals); err != nil {
		return err
	}
	if err := checkMessages(id, c.Messages); err != nil {
		return err
	}
	if err := checkNotifications(id, c.Notifications); err != nil {
		return err
	}
	return checkEvents(id, c.Events)
}

func checkApprovals(id process.ID, approvals []process.Approval) error {
	for i := range approvals {
		a := &approvals[i]
		switch {
		case a.ID <= 0:
			return fmt.Errorf("an approval of process %d has no id", id)
		case a.Process != id:
			return fmt.Errorf("a change of process %d carries an approval of process %d", id, a.Process)
		case !slices.Contains(process.ApprovalStates(), a.State):
			return fmt.Errorf("approval %d: unknown state %q", a.ID, a.State)
		}
	}
	return nil
}

func checkNotifications(id process.ID, notifications []process.Notification) error {
	for i := range notifications {
		n := &notifications[i]
		switch {
		case n.Process != id:
			return fmt.Errorf("a change of process %d carries a notification of process %d", id, n.Process)
		case n.Run <= 0:
			return fmt.Errorf("a notification of process %d names no run", id)
		case !slices.Contains(process.NotificationStates(), n.State):
			return fmt.Errorf("notification of run %d of process %d: unknown state %q", n.Run, id, n.State)
		case n.DueAt.IsZero() == (n.State == process.NotificationPending):
			return fmt.Errorf("notification of run %d of process %d: it is %s, and due at %v", n.Run, id, n.State, n.DueAt)
		}
	}
	return nil
}

// NoNotification is the error of a store that has none of a run.
func NoNotification(id process.ID, run int) error {
	return process.Errorf(process.CodeNotFound, "there is no notification of run %d of process %d", run, id)
}

func checkMessages(id process.ID, messages []process.Message) error {
	var last int64
	for i := range messages {
		m := &messages[i]
		if m.Number <= last {
			return fmt.Errorf("messages of process %d are out of order: %d after %d", id, m.Number, last)
		}
		last = m.Number
		for _, c := range m.Calls {
			if !storable(c.Arguments) {
				return fmt.Errorf("message %d of process %d: the arguments of the call %q are not JSON", m.Number, id, c.ID)
			}
		}
		if !storable(m.Extra) {
			return fmt.Errorf("message %d of process %d: its extra is not JSON", m.Number, id)
		}
	}
	return nil
}

func storable(b json.RawMessage) bool { return len(b) == 0 || json.Valid(b) }

func checkStates(p *process.Process) error {
	if !slices.Contains(process.States(), p.State) {
		return fmt.Errorf("unknown state %q", p.State)
	}
	if p.ExitState != process.ExitNone && !slices.Contains(process.ExitStates(), p.ExitState) {
		return fmt.Errorf("unknown exit state %q", p.ExitState)
	}
	return nil
}

func checkEvents(id process.ID, events []process.Event) error {
	var seq, cursor int64
	for i := range events {
		e := &events[i]
		switch {
		case e.Process != id:
			return fmt.Errorf("a change of process %d carries an event of process %d", id, e.Process)
		case e.Seq <= seq || e.Cursor <= cursor:
			return fmt.Errorf("events of process %d are out of order: seq %d, cursor %d after seq %d, cursor %d",
				id, e.Seq, e.Cursor, seq, cursor)
		case e.Data == nil || e.Live() || e.Kind == process.KindOutputAppended:
			return fmt.Errorf("event %d of process %d (%q) is not one to store", e.Seq, id, e.Kind)
		}
		seq, cursor = e.Seq, e.Cursor
	}
	return nil
}
