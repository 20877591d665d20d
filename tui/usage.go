package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/wording"
)

func (m *Model) usageLines(f *facts, r *process.Record) {
	u := r.Usage
	use := []string{"time " + wording.Duration(time.Duration(u.WallMS)*time.Millisecond)}
	if u.PausedMS > 0 {
		use = append(use, "paused "+wording.Duration(time.Duration(u.PausedMS)*time.Millisecond))
	}
	use = append(use, "CPU "+wording.Duration(time.Duration(u.CPUMS)*time.Millisecond))
	if u.MaxRSSBytes > 0 {
		use = append(use, "memory "+wording.Bytes(u.MaxRSSBytes))
	}
	if u.Tokens > 0 {
		use = append(use, wording.Plural(int(u.Tokens), "token", "tokens"))
	}
	f.add("use", strings.Join(use, ", "))
	f.add("output", fmt.Sprintf("%s stdout, %s stderr", wording.Bytes(r.StdoutBytes), wording.Bytes(r.StderrBytes)))
	if e := r.Enforced; e != nil {
		f.add("held by", strings.Join(append([]string{e.TreeKill}, e.Confined...), ", "))
		f.add("missing", strings.Join(e.Missing, ", "))
	}
}

// plotLines draw what the run used as time went by.
func (m *Model) plotLines(f *facts) {
	samples := m.info.usage
	if len(samples) < 2 {
		return
	}
	var cpu, memory, tokens []float64
	for i := 1; i < len(samples); i++ {
		a, b := samples[i-1], samples[i]
		passed := max(1, b.At.Sub(a.At.Time).Milliseconds())
		cpu = append(cpu, 100*float64(b.CPUMS-a.CPUMS)/float64(passed))
		memory = append(memory, float64(b.RSSBytes))
		tokens = append(tokens, float64(b.Tokens-a.Tokens))
	}
	columns := min(60, m.width-36)
	plot := func(name string, values []float64, text func(float64) string) {
		if most := slices.Max(values); most > 0 && columns > 0 {
			f.add(name, fmt.Sprintf("%s  at most %s", m.theme.spark(values, columns), text(most)))
		}
	}
	plot("CPU", cpu, func(v float64) string { return fmt.Sprintf("%.0f%%", v) })
	plot("memory", memory, func(v float64) string { return wording.Bytes(int64(v)) })
	plot("tokens", tokens, func(v float64) string { return fmt.Sprintf("%.0f at a time", v) })
}

// spark draws values as a line of characters of different height; where there are
// more values than columns, the largest of each column counts.
func (t theme) spark(values []float64, columns int) string {
	levels := []rune(t.pick(" ▁▂▃▄▅▆▇█", " .:-=+*#@"))
	most := slices.Max(values)
	columns = min(columns, len(values))
	var b strings.Builder
	for c := range columns {
		v := slices.Max(values[c*len(values)/columns : (c+1)*len(values)/columns])
		level := 0
		if most > 0 && v > 0 {
			level = min(len(levels)-1, 1+int(v/most*float64(len(levels)-2)))
		}
		b.WriteRune(levels[level])
	}
	return b.String()
}
