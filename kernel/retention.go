package kernel

import (
	"cmp"
	"context"
	"time"
)

// Retention says how long events and raw logs are kept. Records are kept until
// they are deleted.
type Retention struct {
	Events    time.Duration // default 30 days; negative: for ever
	Logs      time.Duration // default 7 days; negative: for ever
	PinnedTag string        // processes with this tag are exempt; default "pinned"
	Every     time.Duration // how often it runs by itself; default an hour; negative: never
}

// Defaults of [Retention].
const (
	DefaultKeepEvents = 30 * 24 * time.Hour
	DefaultKeepLogs   = 7 * 24 * time.Hour
	DefaultPinnedTag  = "pinned"
	defaultPruneEvery = time.Hour
)

// pruneBatch bounds one step of pruning, so that writers are not held up.
const pruneBatch = 200

func (r Retention) withDefaults() Retention {
	r.Events = cmp.Or(r.Events, DefaultKeepEvents)
	r.Logs = cmp.Or(r.Logs, DefaultKeepLogs)
	r.PinnedTag = cmp.Or(r.PinnedTag, DefaultPinnedTag)
	r.Every = cmp.Or(r.Every, defaultPruneEvery)
	return r
}

// Pruned counts what a prune removed.
type Pruned struct {
	Events    int // stored events
	Logs      int // runs whose raw logs are gone
	Approvals int // that were decided

	Notifications int // that were delivered or given up
}

// startRetention prunes on schedule until the kernel closes.
func (k *Kernel) startRetention(ctx context.Context) {
	k.cfg.Retention = k.cfg.Retention.withDefaults()
	if k.cfg.Retention.Every < 0 {
		return
	}
	date := newCalendar(k.now, k.lastDate(ctx))
	k.services.Go(func() {
		tick := time.NewTicker(k.cfg.Retention.Every)
		defer tick.Stop()
		for {
			select {
			case <-k.closed:
				return
			case <-tick.C:
			}
			doubted := date.suspicious()
			today := date.today()
			if date.suspicious() && !doubted {
				k.log.Warn("the clock is far ahead of what is recorded; old logs and events are kept until it has been so for a day",
					"clock", k.now().Format(time.RFC3339), "believed", today.Format(time.RFC3339))
			}
			if _, err := k.Prune(context.Background(), today); err != nil {
				k.log.Error("prune", "error", err)
			}
		}
	})
}

// Prune removes events and raw logs that are past their time at now. It works
// in small batches and stops early when ctx is over or the kernel closes.
func (k *Kernel) Prune(ctx context.Context, now time.Time) (Pruned, error) {
	return k.PruneAs(ctx, now, k.cfg.Retention)
}

// PruneAs is Prune by another retention, whose zero fields are those of the
// configured one.
func (k *Kernel) PruneAs(ctx context.Context, now time.Time, r Retention) (Pruned, error) {
	own := k.cfg.Retention
	r.Events, r.Logs, r.PinnedTag = cmp.Or(r.Events, own.Events), cmp.Or(r.Logs, own.Logs), cmp.Or(r.PinnedTag, own.PinnedTag)
	var total Pruned
	for r.Logs >= 0 && !k.isClosed() {
		n, err := k.pruneLogs(ctx, now.Add(-r.Logs), r.PinnedTag)
		total.Logs += n
		if err != nil || n == 0 {
			if err != nil {
				return total, err
			}
			break
		}
	}
	for r.Events >= 0 && !k.isClosed() {
		n, err := k.cfg.Store.PruneEvents(ctx, now.Add(-r.Events), r.PinnedTag, pruneBatch)
		total.Events += n
		if err != nil {
			return total, err
		}
		if n == 0 {
			break
		}
	}
	for r.Events >= 0 && !k.isClosed() {
		n, err := k.cfg.Store.PruneApprovals(ctx, now.Add(-r.Events), r.PinnedTag, pruneBatch)
		total.Approvals += n
		if err != nil {
			return total, err
		}
		if n == 0 {
			break
		}
	}
	for r.Events >= 0 && !k.isClosed() {
		n, err := k.cfg.Store.PruneNotifications(ctx, now.Add(-r.Events), r.PinnedTag, pruneBatch)
		total.Notifications += n
		if err != nil || n == 0 {
			return total, err
		}
	}
	return total, nil
}

func (k *Kernel) pruneLogs(ctx context.Context, before time.Time, pinned string) (int, error) {
	runs, err := k.cfg.Store.PrunableLogs(ctx, before, pinned, pruneBatch)
	if err != nil || len(runs) == 0 {
		return 0, err
	}
	for _, r := range runs {
		if err := k.cfg.Logs.Remove(int64(r.Process), r.Run); err != nil {
			return 0, err
		}
	}
	return len(runs), k.cfg.Store.LogsPruned(ctx, runs)
}

func (k *Kernel) isClosed() bool {
	select {
	case <-k.closed:
		return true
	default:
		return false
	}
}
