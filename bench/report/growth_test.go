package report

import (
	"testing"

	"github.com/reeverun/reeve/bench/measure"
)

func TestGrowthAsMarkdown(t *testing.T) {
	points := []measure.CurvePoint{{Size: 1000, Median: 0.5}, {Size: 1e6, Median: 0.75}}
	got := Growth([]measure.CurveResult{
		{ID: "records-list", Title: "list", X: "records", Unit: "ms", Points: points, Slope: 0.06, Limit: 0.15, Most: 1, Verdict: measure.Pass},
		{ID: "records-search", Title: "search", X: "records", Unit: "ms", Points: points, Slope: 1, Limit: 0.15, Verdict: measure.Short, Explained: "It reads all."},
		{ID: "live-kill", Title: "kill", X: "live processes", Unit: "ms", Verdict: measure.Skipped, Skipped: "no room"},
	}, "images")
	const want = `### Records

![Cost against records](images/bench-growth-records.svg)

| cost of | at the least | at the most | slope | asked | |
|---|---|---|---|---|---|
| list | 0.5 ms at 1000 | 0.75 ms at 1 M | 0.06 | ≤ 0.15, each ≤ 1 ms | pass |
| search | 0.5 ms at 1000 | 0.75 ms at 1 M | 1.00 | ≤ 0.15 | short |

- search: It reads all.

### Live processes

![Cost against live processes](images/bench-growth-live.svg)

| cost of | at the least | at the most | slope | asked | |
|---|---|---|---|---|---|
| kill | | | | | skipped |

- kill: no room
`
	if got != want {
		t.Errorf("%s", got)
	}
}
