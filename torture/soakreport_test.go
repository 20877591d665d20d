//go:build linux

package torture

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// tally counts operations and faults by name.
type tally struct {
	mu sync.Mutex
	of map[string]int
}

func (c *tally) add(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of[what]++
}

func (c *tally) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(c.of)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, c.of[name]))
	}
	return strings.Join(parts, ", ")
}

// progress says every ten seconds how it goes.
func (s *soak) progress() {
	if time.Since(s.told) < 10*time.Second {
		return
	}
	s.told = time.Now()
	pid := s.daemon.cmd.Process.Pid
	line := fmt.Sprintf("%6v  %v; daemon %.0f MiB, %.0f descriptors, %.0f threads", time.Since(s.began).Round(time.Second), &s.tally,
		resident(pid), entriesOf(pid, "fd"), entriesOf(pid, "task"))
	if len(s.rounds) > 0 {
		v := s.rounds[len(s.rounds)-1].values
		line += fmt.Sprintf("; at the last rest: %.0f goroutines, keeper %.0f MiB, %.0f cgroups, data %.1f MiB", v["daemon goroutines"], v["keeper memory, MiB"], v["cgroups"], v["data, MiB"])
	}
	s.t.Log(line)
}

// row is what the report says of one figure.
type row struct {
	Figure  string  `json:"figure"`
	Tenth   float64 `json:"at10"`
	Half    float64 `json:"at50"`
	Last    float64 `json:"at100"`
	Peak    float64 `json:"peak"`
	PerKilo float64 `json:"per1000Processes"`
	Growth  float64 `json:"growth"`
	May     float64 `json:"allowed"`
	Flat    bool    `json:"flat"`
}

// verdict reports the figures and fails where one is not flat.
func (s *soak) verdict() {
	s.t.Helper()
	if len(s.rounds) == 0 {
		s.t.Fatal("it never came to rest")
	}
	var rows []row
	var table strings.Builder
	fmt.Fprintf(&table, "\n%-26s %9s %9s %9s %9s %12s %9s %9s", "at rest", "10 %", "50 %", "100 %", "peak", "per 1000", "growth", "allowed")
	for _, f := range watched {
		grown, per := f.growth(s.rounds)
		r := row{Figure: f.name, Tenth: s.at(0.1, f), Half: s.at(0.5, f), Last: s.at(1, f), Peak: f.peak(s.rounds), PerKilo: per * 1000, Growth: grown, May: f.may, Flat: f.flat(s.rounds)}
		rows = append(rows, r)
		fmt.Fprintf(&table, "\n%-26s %9.1f %9.1f %9.1f %9.1f %12.3f %9.1f %9.1f", r.Figure, r.Tenth, r.Half, r.Last, r.Peak, r.PerKilo, r.Growth, r.May)
		if !r.Flat {
			table.WriteString("  NOT FLAT")
			s.wrong("%s is not flat: %.1f, %.1f, %.1f at 10, 50 and 100 %% of the time, at most %.1f; it grows by %.3f for 1000 processes", r.Figure, r.Tenth, r.Half, r.Last, r.Peak, r.PerKilo)
		}
	}
	s.t.Logf("%v, %d rests, %d processes; %v%s\nwrong: %d", time.Since(s.began).Round(time.Second), len(s.rounds), s.count, &s.tally, table.String(), s.wrongs.Load())
	s.t.Logf("judged: %d finished, %d canceled, %d interrupted (commands among them %d), %d reattached, %d events, %d bytes of output",
		s.figures.finished, s.figures.canceled, s.figures.interrupted, s.figures.lost, s.figures.reattached, s.figures.events, s.figures.bytes)
	s.write(rows)
}

// at is a figure at the rest that is nearest to a share of the time.
func (s *soak) at(share float64, f figure) float64 {
	when := time.Duration(share * float64(s.rounds[len(s.rounds)-1].at))
	nearest := slices.MinFunc(s.rounds, func(a, b sample) int { return int((a.at - when).Abs() - (b.at - when).Abs()) })
	return nearest.values[f.name]
}

// write leaves the report as JSON where REEVE_SOAK_JSON says.
func (s *soak) write(rows []row) {
	path := os.Getenv("REEVE_SOAK_JSON")
	if path == "" {
		return
	}
	report, err := json.MarshalIndent(map[string]any{
		"seconds": time.Since(s.began).Seconds(), "seed": s.seed, "rests": len(s.rounds), "processes": s.count,
		"operations": s.tally.of, "figures": rows, "wrong": s.wrongs.Load(), "passed": !s.t.Failed(),
		"finished": s.figures.finished, "canceled": s.figures.canceled, "interrupted": s.figures.interrupted,
		"reattached": s.figures.reattached, "events": s.figures.events, "outputBytes": s.figures.bytes,
	}, "", "  ")
	if err == nil {
		err = os.WriteFile(path, append(report, '\n'), 0o644)
	}
	if err != nil {
		s.t.Error(err)
	}
}
