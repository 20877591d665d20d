package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/settings"
)

const wantBudget = "write a list such as tokens=10000,wall=30s,cpu=10s,children=5,depth=2,ask"

// parseBudget reads what --budget is given.
func parseBudget(text string) (b api.Budget, err error) {
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, given := strings.Cut(strings.TrimSpace(part), "=")
		name = strings.TrimSpace(name)
		if seen[name] {
			return b, fmt.Errorf("%s is given twice", name)
		}
		seen[name] = true
		switch to := budgetField(&b, name); {
		case name == process.BudgetAsk || name == process.BudgetStop:
			if b.OnExceeded != "" || given {
				return b, fmt.Errorf("%q: give ask or stop once, without a value", part)
			}
			b.OnExceeded = name
		case to == nil:
			return b, fmt.Errorf("%q is not a budget: %s", part, wantBudget)
		case name == "wall" || name == "cpu":
			*to, err = budgetTime(name, strings.TrimSpace(value))
		default:
			*to, err = budgetCount(name, strings.TrimSpace(value))
		}
		if err != nil {
			return b, err
		}
	}
	if b == (api.Budget{OnExceeded: b.OnExceeded}) {
		return b, errors.New("it bounds nothing: " + wantBudget)
	}
	return b, nil
}

func budgetField(b *api.Budget, name string) *int64 {
	return map[string]*int64{"tokens": &b.Tokens, "wall": &b.WallMS, "cpu": &b.CPUMS, "children": &b.Children, "depth": &b.Depth}[name]
}

func budgetTime(name, value string) (int64, error) {
	d, err := settings.ParseDuration(value)
	if err == nil && d < time.Millisecond {
		err = fmt.Errorf("%q is too short: give at least 1ms", value)
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return d.Milliseconds(), nil
}

func budgetCount(name, value string) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%s: %q is not a number: give 1 or more", name, value)
	}
	return n, nil
}

// longest is the most milliseconds that a duration can have.
const longest = int64(1<<63-1) / int64(time.Millisecond)

// budgetText is a budget as it would be given.
func budgetText(b process.Budget) string {
	var words []string
	add := func(name string, n int64, show func(int64) string) {
		switch {
		case n < 0:
			words = append(words, name+"=0")
		case n > 0:
			words = append(words, name+"="+show(n))
		}
	}
	count := func(n int64) string { return strconv.FormatInt(n, 10) }
	span := func(n int64) string { return (time.Duration(min(n, longest)) * time.Millisecond).String() }
	add("tokens", b.Tokens, count)
	add("wall", b.WallMS, span)
	add("cpu", b.CPUMS, span)
	add("children", b.Children, count)
	add("depth", b.Depth, count)
	if b.OnExceeded == process.BudgetAsk {
		words = append(words, b.OnExceeded)
	}
	return plain(strings.Join(words, ","))
}
