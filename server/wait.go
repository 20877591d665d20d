package server

import (
	"context"
	"errors"
	"time"
)

// errWaited is why a context of withWait is over.
var errWaited = errors.New("the wait is over")

// withWait bounds a context, in a way that isWait can tell.
func withWait(ctx context.Context, d time.Duration) (context.Context, func()) {
	return context.WithTimeoutCause(ctx, d, errWaited)
}

func isWait(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errWaited) }

// parseTime reads a time as clients write it: RFC 3339, or a date.
func parseTime(s string) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return t, nil
	}
	return time.Parse(time.DateOnly, s)
}
