package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/reeverun/reeve/env/agent/model"
	"github.com/reeverun/reeve/process"
)

// Config is what the environment is made of. Its zero values are documented
// defaults; without Models every agent is refused.
type Config struct {
	// Models are the endpoints, by the provider's name: OpenAI, Anthropic.
	Models   map[string]model.Model
	Model    string // for agents that name none
	MaxSteps int    // likewise; 0: 50

	// Tools returns what a run may call, of those its patterns allow and the
	// policy does not forbid. nil: there are none.
	Tools func(ctx context.Context, allowed []string) []Tool
	// Environments returns in which a run may start children. nil: in none.
	Environments func(allowed []string) []string
	// Spec reads what a run says about a child, the body of a create request.
	// nil: it cannot start any.
	Spec func(request json.RawMessage) (process.Spec, error)

	Prices    map[string]Price // of models, by name or its beginning
	Windows   map[string]int64 // tokens that a model takes, likewise
	Window    int64            // of every other model; 0: 128 000
	MaxTokens int64            // of one answer; 0: the provider's own limit

	Retry       Retry
	CallTimeout time.Duration // of one question; 0: 20 min
	ToolTimeout time.Duration // of one tool call that no person decides; 0: 5 min

	// Sleep waits between two attempts; nil: as time goes by.
	Sleep func(ctx context.Context, d time.Duration) error
}

// The names of the providers.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
)

// Tool is one of a service.
type Tool struct {
	Service, Name string
	Description   string
	Params        json.RawMessage // a JSON Schema; nil: any object
	Asks          bool            // a person decides about each call, which takes time
}

// Price is what a million tokens cost, in US dollars.
type Price struct {
	Input, Cached, Output float64
	Written               float64 // to the provider's cache; 0: as Input
}

// Retry bounds how often and how long a question is asked again.
type Retry struct {
	Tries int           // 0: 8
	First time.Duration // the first pause; it doubles; 0: 1 s
	Most  time.Duration // the longest, unless the server asks for more; 0: 60 s
	Total time.Duration // of all pauses of one question; 0: 10 min
}

const (
	defaultSteps  = 50
	defaultWindow = 128_000
)

func (c Config) withDefaults() Config {
	c.MaxSteps = cmp.Or(c.MaxSteps, defaultSteps)
	c.Window = cmp.Or(c.Window, defaultWindow)
	c.CallTimeout = cmp.Or(c.CallTimeout, 20*time.Minute)
	c.ToolTimeout = cmp.Or(c.ToolTimeout, 5*time.Minute)
	c.Retry.Tries = cmp.Or(c.Retry.Tries, 8)
	c.Retry.First = cmp.Or(c.Retry.First, time.Second)
	c.Retry.Most = cmp.Or(c.Retry.Most, time.Minute)
	c.Retry.Total = cmp.Or(c.Retry.Total, 10*time.Minute)
	if c.Sleep == nil {
		c.Sleep = sleep
	}
	return c
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// pause is how long to wait after a number of failures: it doubles, and no two
// runs wait equally long. A server that names a time gets it.
func (r Retry) pause(failures int, asked time.Duration) time.Duration {
	if asked > 0 {
		return asked + rand.N(asked/10+time.Millisecond)
	}
	d := min(r.Most, r.First<<min(failures-1, 20))
	return d - rand.N(d/4+1)
}

// match finds the entry of a model, or of the longest beginning of its name.
func match[T any](entries map[string]T, name string) (found T, ok bool) {
	longest := -1
	for prefix, entry := range entries {
		if len(prefix) > longest && strings.HasPrefix(name, prefix) {
			longest, found = len(prefix), entry
		}
	}
	return found, longest >= 0
}

// window is how many tokens a model takes.
func (c *Config) window(name string) int64 {
	if w, ok := match(c.Windows, name); ok {
		return w
	}
	return c.Window
}

// cost is nil where the price is not known.
func (c *Config) cost(name string, u model.Usage) *float64 {
	p, ok := match(c.Prices, name)
	if !ok {
		return nil
	}
	usd := (float64(u.Input-u.Cached-u.Written)*p.Input + float64(u.Cached)*p.Cached +
		float64(u.Written)*cmp.Or(p.Written, p.Input) + float64(u.Output)*p.Output) / 1e6
	return &usd
}
