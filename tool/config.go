package tool

import (
	"log/slog"
	"time"
)

// Config of a [Registry]. The zero Config allows every call.
type Config struct {
	Policy Policy
	Logger *slog.Logger // nil: nothing is logged

	CallTimeout  time.Duration // of one call; 0: 60 s; negative: none
	OpenTimeout  time.Duration // of one attempt to connect a service; 0: 30 s
	DrainTimeout time.Duration // how long Close waits for calls; 0: 5 s
	Retry        time.Duration // the first pause between two attempts; it doubles up to 60 times as much; 0: 500 ms
	MaxParams    int           // bytes; 0: 8 MiB
	MaxResult    int           // bytes; 0: 8 MiB
}

func (c Config) withDefaults() Config {
	def := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	def(&c.CallTimeout, time.Minute)
	def(&c.OpenTimeout, 30*time.Second)
	def(&c.DrainTimeout, 5*time.Second)
	def(&c.Retry, 500*time.Millisecond)
	if c.MaxParams == 0 {
		c.MaxParams = 8 << 20
	}
	if c.MaxResult == 0 {
		c.MaxResult = 8 << 20
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}
