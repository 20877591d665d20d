package wording

import (
	"fmt"
	"strings"
	"time"

	"github.com/reeverun/reeve/process"
)

// Step tells what a step took.
func Step(d process.StepFinished) string {
	words := []string{Tokens(d.InputTokens, d.CachedTokens, d.OutputTokens)}
	if d.CostUSD != nil {
		words = append(words, Dollars(*d.CostUSD))
	}
	if d.Retries > 0 {
		words = append(words, fmt.Sprintf("asked %d times", d.Retries+1))
	}
	words = append(words, Duration(time.Duration(d.DurationMS)*time.Millisecond))
	s := fmt.Sprintf("step %d: %s", d.Step, strings.Join(words, ", "))
	if d.Error != "" {
		s += ": " + firstLine(d.Error)
	}
	return s
}

// Tokens tells how many went in and came out.
func Tokens(input, cached, output int64) string {
	s := fmt.Sprintf("%d tokens in", input)
	if cached > 0 {
		s += fmt.Sprintf(" (%d cached)", cached)
	}
	return s + fmt.Sprintf(", %d out", output)
}

// Dollars shows what is small, too.
func Dollars(usd float64) string {
	if usd != 0 && usd < 0.01 {
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
