package supervisor

import (
	"math"
	"time"

	"github.com/reeverun/reeve/api"
)

// backoff is how long restarts wait.
type backoff struct {
	initial, max   time.Duration
	factor, jitter float64
}

func backoffOf(b *api.Backoff) backoff {
	if b == nil {
		b = &api.Backoff{}
	}
	out := backoff{initial: millis(b.Initial.Or(api.DefaultInitialMS)), max: millis(b.Max.Or(api.DefaultMaxMS)),
		factor: api.DefaultFactor, jitter: api.DefaultJitter}
	if b.Factor != nil {
		out.factor = *b.Factor
	}
	if b.Jitter != nil {
		out.jitter = *b.Jitter
	}
	return out
}

// delay of the nth restart in a row, from 1. random is from 0 to 1.
func (b backoff) delay(n int, random float64) time.Duration {
	d := float64(b.initial) * math.Pow(b.factor, float64(n-1))
	d *= 1 + b.jitter*(2*random-1)
	return time.Duration(min(d, float64(b.max)))
}
