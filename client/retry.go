package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// The pauses between attempts double from the first to the last.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = 2 * time.Second
)

// tellAfter is how long attempts fail before somebody is told.
const tellAfter = time.Second

// retry paces the attempts of one stream.
type retry struct {
	client   *Client
	patience time.Duration
	pause    time.Duration
	since    time.Time // the first failure after the last success; zero: none
	told     bool      // that it tries again
}

func (c *Client) retry() *retry { return &retry{client: c, patience: c.patience} }

// succeeded starts the patience anew.
func (r *retry) succeeded() { r.pause, r.since, r.told = 0, time.Time{}, false }

// wait pauses after a failure and reports whether to try again.
func (r *retry) wait(ctx context.Context, err error) bool {
	if ctx.Err() != nil || !temporary(err) {
		return false
	}
	var unreachable *UnreachableError
	if errors.As(err, &unreachable) && !r.client.answered.Load() {
		return false // it is not gone: it was never there
	}
	if r.since.IsZero() {
		r.since, r.pause = time.Now(), firstPause
	} else if !r.told && r.client.onRetry != nil && time.Since(r.since) > tellAfter {
		r.told = true
		r.client.onRetry(err)
	}
	if time.Since(r.since) >= r.patience {
		return false
	}
	pause := r.pause/2 + rand.N(r.pause/2+1) // clients of one daemon do not come back in step
	var status *StatusError
	if errors.As(err, &status) && status.RetryAfter > pause {
		pause = min(status.RetryAfter, lastPause)
	}
	r.pause = min(2*r.pause, lastPause)
	select {
	case <-time.After(pause):
		return true
	case <-ctx.Done():
		return false
	}
}

// isAnswer reports whether the daemon answered.
func isAnswer(err error) bool {
	var status *StatusError
	return errors.As(err, &status)
}
