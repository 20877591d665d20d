package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// How many attempts there are at a time, and how many of them to one host.
const (
	maxFlying  = 32
	maxPerHost = 4
)

// How long Close waits for attempts that are under way: an answer that comes
// late is asked for again by the next dispatcher, unless there will be none.
const (
	linger         = time.Second
	lingerVolatile = AttemptTimeout
)

// Config is what a dispatcher works with. Store is needed.
type Config struct {
	Store store.Store
	// Agent is how it introduces itself. Default "reeve".
	Agent string
	// Volatile says that what is pending when it closes is lost: then Close
	// first sends what was not sent yet, once.
	Volatile bool
	// Transport is the way to the receivers. Default: a direct one.
	Transport http.RoundTripper
	Logger    *slog.Logger // default: none
}

// Dispatcher sends what is pending. Its methods are safe for concurrent use.
type Dispatcher struct {
	cfg    Config
	log    *slog.Logger
	client *http.Client
	stats  stats

	wake    chan struct{}
	results chan result
	closing chan struct{}
	once    sync.Once
	ended   chan struct{}

	mu   sync.Mutex
	news map[string]time.Time // hosts, and when to look at what is due there
}

// stats are what it has done.
type stats struct{ delivered, retried, failed atomic.Int64 }

// Stats counts what a dispatcher has done, and what is left to do.
type Stats struct {
	Delivered int64 // attempts that the receiver said it has
	Retried   int64 // that are made again
	Failed    int64 // that were the last
	Pending   int   // notifications
}

// Open starts to send what is pending in the store. Close it before the store.
func Open(ctx context.Context, cfg Config) (*Dispatcher, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Agent == "" {
		cfg.Agent = "reeve"
	}
	if cfg.Transport == nil {
		cfg.Transport = newTransport()
	}
	receivers, err := cfg.Store.Receivers(ctx)
	if err != nil {
		return nil, fmt.Errorf("read pending notifications: %w", err)
	}
	d := &Dispatcher{cfg: cfg, log: cfg.Logger, client: newClient(cfg.Transport), wake: make(chan struct{}, 1),
		results: make(chan result, maxFlying), closing: make(chan struct{}), ended: make(chan struct{}), news: map[string]time.Time{}}
	for _, r := range receivers {
		d.news[r.Host] = r.DueAt
	}
	go d.run()
	return d, nil
}

// Tell says that a notification was stored. It does not block.
func (d *Dispatcher) Tell(n process.Notification) { d.look(n.Host, n.DueAt) }

// look has the dispatcher look at a host's queue at a time.
func (d *Dispatcher) look(host string, at time.Time) {
	d.mu.Lock()
	if known, ok := d.news[host]; !ok || at.Before(known) {
		d.news[host] = at
	}
	d.mu.Unlock()
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// Retry sends a notification again, now, with all its attempts before it: one
// that was given up, one that waits, also one that was delivered. It returns
// when that is stored.
func (d *Dispatcher) Retry(ctx context.Context, id process.ID, run int) (*process.Notification, error) {
	n, err := d.cfg.Store.Notification(ctx, id, run)
	if err != nil {
		return nil, err
	}
	n.State, n.Attempts, n.DueAt = process.NotificationPending, 0, time.Now().UTC()
	if err := d.cfg.Store.SaveNotifications(ctx, []process.Notification{*n}); err != nil {
		return nil, err
	}
	d.look(n.Host, n.DueAt)
	return n, nil
}

// Stats tells what it has done since it was opened, and what is pending.
func (d *Dispatcher) Stats(ctx context.Context) (Stats, error) {
	s := Stats{Delivered: d.stats.delivered.Load(), Retried: d.stats.retried.Load(), Failed: d.stats.failed.Load()}
	receivers, err := d.cfg.Store.Receivers(ctx)
	for _, r := range receivers {
		s.Pending += r.Pending
	}
	return s, err
}

// Close ends it, after a short while for what is under way. What is pending
// stays so. It may be called again.
func (d *Dispatcher) Close() error {
	d.once.Do(func() { close(d.closing) })
	<-d.ended
	d.client.CloseIdleConnections()
	return nil
}

// result is an attempt that is over.
type result struct {
	n       process.Notification // as it was
	at      time.Time
	answer  answer
	dropped bool // nothing was tried: the process is gone, or the dispatcher ends
}

// attempt sends a notification to whom its process names.
func (d *Dispatcher) attempt(ctx context.Context, n process.Notification) result {
	r := result{n: n}
	p, err := d.cfg.Store.Process(ctx, n.Process)
	switch {
	case errors.Is(err, process.ErrNotFound) || ctx.Err() != nil:
		r.dropped = true
		return r
	case err != nil:
		r.answer = answer{err: fmt.Errorf("read whom to notify: %w", err)}
	case p.Notify == nil:
		r.answer = answer{status: http.StatusGone, err: errors.New("its process names nobody to notify")}
	default:
		r.answer = d.send(ctx, p.Notify, &n)
	}
	r.at = time.Now().UTC()
	r.dropped = r.answer.err != nil && ctx.Err() != nil
	return r
}
