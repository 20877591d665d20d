package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/reeverun/reeve/bench/measure"
	"github.com/reeverun/reeve/bench/plot"
)

// width is the terminal that a table fits.
const width = 120

const legend = `floor    what the machine does with nothing of ours; it and the others take turns in each round
figure   the median of the rounds; ± how far its quartiles lie apart
× floor  the figure divided by the floor's: the less the better in ms and kB, the more the better in /s and GB/s
short    the target was not met; void: the floor moved by more than %.0f %% while the row was measured
`

// Table prints the run for a terminal.
func Table(w io.Writer, r *Report) error {
	var b bytes.Buffer
	for _, line := range r.head() {
		fmt.Fprintln(&b, clip(line, width))
	}
	for _, row := range r.Rows {
		tableRow(&b, row)
	}
	if len(r.Curves) > 0 {
		fmt.Fprintf(&b, "\n%s\n", "growth: the cost of one operation at the least and the most; slope 0 is constant, 1 grows with what is there")
	}
	for _, c := range r.Curves {
		tableCurve(&b, c)
	}
	fmt.Fprintf(&b, "\n"+legend+"\n%s\n", measure.MaxSpread*100, r.summary())
	_, err := w.Write(b.Bytes())
	return err
}

// head says what was measured, where, and whether the figures mean anything.
func (r *Report) head() []string {
	m := r.Machine
	lines := []string{
		fmt.Sprintf("Reeve %s, %s", m.Commit, m.Date.Format("2006-01-02 15:04 MST")),
		fmt.Sprintf("%s, %d cores, %s, %s, load before: %s", m.CPU, m.Cores, m.Kernel, m.Go, m.Load),
	}
	if r.SmallSizes {
		lines = append(lines, "SHORT RUN: it shows that everything works. Its figures mean nothing.")
	}
	if r.Void {
		lines = append(lines, fmt.Sprintf("VOID: a bare spawn and sync moved by %.0f %% during the run (at most %.0f %%). Measure again on a quiet machine.", r.Moved*100, MostMoved*100))
	}
	return lines
}

func tableRow(b *bytes.Buffer, row measure.Result) {
	fmt.Fprintf(b, "\n%-18s %s\n", row.ID, clip(row.Title, width-19))
	if row.Failed != "" {
		fmt.Fprintln(b, clip("  FAILED: "+firstLine(row.Failed), width))
	}
	for _, s := range row.Subjects {
		lead := fmt.Sprintf("  %-6s %s", s.Role, pad(clip(s.Name, 28), 28))
		if s.Skipped != "" {
			fmt.Fprintln(b, clip(lead+" skipped: "+firstLine(s.Skipped), width))
			continue
		}
		if len(s.Rounds) == 0 {
			continue // it failed before
		}
		line := fmt.Sprintf("%s %9s %s %7s  %s", lead, plot.Figure(s.Median), pad(row.Unit, 5), fmt.Sprintf("±%.0f %%", s.Spread*100), pad(timesFloor(row, s), 13))
		asked := askedOf(row, s.Name)
		if len(asked) == 0 {
			asked = []string{""}
		}
		for i, a := range asked {
			if i > 0 {
				line = pad("", utf8.RuneCountInString(line))
			}
			fmt.Fprintln(b, strings.TrimRight(line+" "+a, " "))
		}
		if s.Note != "" {
			fmt.Fprintln(b, clip("         "+s.Note, width))
		}
	}
}

// timesFloor holds a figure against the floor's.
func timesFloor(row measure.Result, s measure.SubjectResult) string {
	floor, ok := row.Floor()
	if !ok || s.Role == measure.Floor {
		return ""
	}
	return plot.Figure(s.Median/floor.Median) + " × floor"
}

// askedOf says what is asked of a subject, and what became of it.
func askedOf(row measure.Result, name string) (asked []string) {
	floor, _ := row.Floor()
	for _, t := range row.Targets {
		if t.Subject != name {
			continue
		}
		words := bound(row, t.Target)
		if t.Of != "" && t.Of != floor.Name && t.Verdict != measure.Skipped {
			words = plot.Figure(t.Ratio) + " " + words
		}
		asked = append(asked, pad(clip(words, 34), 34)+" "+string(t.Verdict))
	}
	return asked
}

// bound writes a target.
func bound(row measure.Result, t measure.Target) string {
	sign := "≤"
	if row.Better == measure.Higher {
		sign = "≥"
	}
	if t.Of == "" {
		return fmt.Sprintf("%s %s %s", sign, plot.Figure(t.Limit), row.Unit)
	}
	return fmt.Sprintf("%s %s × %s", sign, plot.Figure(t.Limit), t.Of)
}

func tableCurve(b *bytes.Buffer, c measure.CurveResult) {
	lead := pad(c.ID, 26)
	if len(c.Points) == 0 {
		fmt.Fprintln(b, clip(lead+" skipped: "+firstLine(c.Skipped), width))
		return
	}
	at := func(p measure.CurvePoint) string {
		return fmt.Sprintf("%s %s at %s", plot.Figure(p.Median), c.Unit, plot.Figure(p.Size))
	}
	ends := at(c.Points[0]) + " … " + at(c.Points[len(c.Points)-1])
	fmt.Fprintf(b, "%s %s slope %5.2f ≤ %-5s %s\n", lead, pad(clip(ends+" "+c.X, 62), 62), c.Slope, plot.Figure(c.Limit), c.Verdict)
}

// summary counts the verdicts.
func (r *Report) summary() string {
	count := map[measure.Verdict]int{}
	for _, row := range r.Rows {
		count[row.Verdict]++
	}
	for _, c := range r.Curves {
		count[c.Verdict]++
	}
	var parts []string
	for _, v := range []measure.Verdict{measure.Pass, measure.Short, measure.Void, measure.Skipped, measure.Figure, measure.Failed} {
		if count[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[v], v))
		}
	}
	return strings.Join(parts, ", ")
}

func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-utf8.RuneCountInString(s)))
}

func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
