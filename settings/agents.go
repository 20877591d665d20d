package settings

import (
	"fmt"
	"strconv"
	"strings"
)

// Price is what a million tokens of a model cost, in US dollars: of input, of
// input that the provider had in its cache, and of output.
type Price struct{ Input, Cached, Output float64 }

func setAgentPrice(s *Settings, v string) error {
	const want = "MODEL=INPUT/CACHED/OUTPUT, in dollars for a million tokens, such as gpt-5=1.25/0.125/10"
	model, price, err := entry(v, want)
	if err != nil {
		return err
	}
	var p Price
	parts := strings.Split(price, "/")
	fields := []*float64{&p.Input, &p.Cached, &p.Output}
	if len(parts) != len(fields) {
		return fmt.Errorf("%q is not a price: write %s", v, want)
	}
	for i, f := range fields {
		if *f, err = strconv.ParseFloat(strings.TrimSpace(parts[i]), 64); err != nil || !(*f >= 0 && *f < 1e9) {
			return fmt.Errorf("%q is not a price: write %s", v, want)
		}
	}
	s.AgentPrices[model] = p
	return nil
}

func setAgentWindow(s *Settings, v string) error {
	const want = "MODEL=TOKENS, such as claude=200000"
	model, tokens, err := entry(v, want)
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(tokens, 10, 64)
	if err != nil || n < 1000 {
		return fmt.Errorf("%q is not a window: write %s; at least 1000", v, want)
	}
	s.AgentWindows[model] = n
	return nil
}
