package kernel

import (
	"context"
	"crypto/rand"

	"github.com/reeverun/reeve/process"
)

// recordEnd is record for the events that end the run: who is to be told of
// that is stored with them. seal is the entry's; p.mu is held.
func (p *proc) recordEnd(seal func(), done func(error), payloads ...process.Payload) {
	e := &entry{seal: seal, done: done}
	e.change.Series = p.closeSeries()
	if p.rec.Notify != nil {
		e.change.Notifications = p.notification()
		e.done = func(err error) {
			if tell := p.k.cfg.Notify; err == nil && tell != nil {
				for _, n := range e.change.Notifications {
					tell(n)
				}
			}
			done(err)
		}
	}
	p.append(e, true, payloads...)
}

// notification tells the run's end, which the record shows already.
func (p *proc) notification() []process.Notification {
	n, err := process.NewNotification("msg_"+rand.Text(), &p.rec, p.k.now())
	if err != nil { // the record of a run can always be shown
		p.k.log.Error("describe the end of a run; nobody is notified of it", "process", p.id, "error", err)
		return nil
	}
	return []process.Notification{n}
}

// Notifications returns at most limit of a process, newest first, of runs below
// before; 0: from the newest.
func (k *Kernel) Notifications(ctx context.Context, id process.ID, before, limit int) ([]process.Notification, error) {
	return k.cfg.Store.Notifications(ctx, id, before, limit)
}
