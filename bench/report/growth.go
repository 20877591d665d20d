package report

import (
	"fmt"
	"strings"

	"github.com/reeverun/reeve/bench/measure"
	"github.com/reeverun/reeve/bench/plot"
)

// Growth writes the curves as Markdown: for each family its picture, which is
// in the folder images, a table, and what there is to explain.
func Growth(curves []measure.CurveResult, images string) string {
	var b strings.Builder
	for i, g := range plot.Groups(curves) {
		if i > 0 {
			b.WriteByte('\n')
		}
		x := g.Curves[0].X
		fmt.Fprintf(&b, "### %s%s\n\n![Cost against %s](%s/%s)\n\n", strings.ToUpper(x[:1]), x[1:], x, images, g.File)
		b.WriteString("| cost of | at the least | at the most | slope | asked | |\n|---|---|---|---|---|---|\n")
		var notes []string
		for _, c := range g.Curves {
			b.WriteString(growthLine(c))
			for _, note := range []string{c.Explained, c.Skipped} {
				if note != "" {
					notes = append(notes, fmt.Sprintf("- %s: %s\n", c.Title, note))
				}
			}
		}
		if len(notes) > 0 {
			b.WriteString("\n" + strings.Join(notes, ""))
		}
	}
	return b.String()
}

func growthLine(c measure.CurveResult) string {
	if len(c.Points) == 0 {
		return fmt.Sprintf("| %s | | | | | %s |\n", c.Title, c.Verdict)
	}
	first, last := c.Points[0], c.Points[len(c.Points)-1]
	at := func(p measure.CurvePoint) string {
		return fmt.Sprintf("%s %s at %s", plot.Figure(p.Median), c.Unit, plot.Figure(p.Size))
	}
	asked := "≤ " + plot.Figure(c.Limit)
	if c.Most > 0 {
		asked += fmt.Sprintf(", each ≤ %s %s", plot.Figure(c.Most), c.Unit)
	}
	return fmt.Sprintf("| %s | %s | %s | %.2f | %s | %s |\n", c.Title, at(first), at(last), c.Slope, asked, c.Verdict)
}
