package reeve

import "context"

// Notifications returns at most limit notifications of a process, newest first,
// of runs below before; 0: from the newest. See Task.Notify.
func (rt *Runtime) Notifications(ctx context.Context, id ID, before, limit int) ([]Notification, error) {
	return rt.kernel.Notifications(ctx, id, before, limit)
}

// Renotify sends the notification of a run again, now, whatever became of it,
// and returns when that is stored. A run that has none is ErrNotFound.
func (rt *Runtime) Renotify(ctx context.Context, id ID, run int) (*Notification, error) {
	return rt.notify.Retry(ctx, id, run)
}

// NotifyStats tells how many notifications were sent since Open, and how many
// are pending.
func (rt *Runtime) NotifyStats(ctx context.Context) (NotifyStats, error) { return rt.notify.Stats(ctx) }
