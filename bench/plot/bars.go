package plot

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/reeverun/reeve/bench/measure"
)

// The columns of a picture of bars.
const (
	labelWidth = 330.0
	titleWidth = 400.0
	barWidth   = 300.0
	wordsWidth = 230.0
	barHeight  = 14.0
	pitch      = 26.0
)

// Targets draws how much of what it may take each target takes: bars end left of
// the line where it is met.
func Targets(w io.Writer, rows []measure.Result) error {
	type bar struct {
		label, words string
		part         float64
		verdict      measure.Verdict
	}
	var bars []bar
	for _, r := range rows {
		for _, t := range r.Targets {
			if t.Verdict == measure.Skipped || t.Ratio == 0 || t.Limit == 0 {
				continue
			}
			part := t.Ratio / t.Limit
			if r.Better == measure.Higher {
				part = t.Limit / t.Ratio
			}
			bars = append(bars, bar{fmt.Sprintf("%s: %s", r.Title, t.Subject), inNumbers(r, t), part, t.Verdict})
		}
	}
	if len(bars) == 0 {
		return nil
	}
	const scale = 1.5 // what is worse than this reaches the edge
	c := &canvas{width: titleWidth + barWidth + wordsWidth + 3*margin, height: 70 + float64(len(bars))*pitch + margin}
	title := "Reeve against its targets"
	c.text(margin+6, 24, "title", "start", title)
	c.text(margin+6, 41, "small quiet", "start", "How much of what a target allows is used: shorter is better.")
	left := margin + titleWidth
	target := left + barWidth/scale
	c.text(target, 60, "small quiet", "middle", "target")
	var words []string
	for i, b := range bars {
		y := 70 + float64(i)*pitch
		c.text(left-8, y+11, "small", "end", shortened(b.label, 64))
		c.rect(left, y, max(1, min(b.part, scale)/scale*barWidth), barHeight, class(b.verdict))
		c.text(left+barWidth+8, y+11, "small quiet", "start", b.words)
		words = append(words, fmt.Sprintf("%s: %s, %s.", b.label, b.words, b.verdict))
	}
	c.line(target, 65, target, c.height-margin, "mark")
	return c.writeTo(w, title, strings.Join(words, " "))
}

// inNumbers says how a target was met.
func inNumbers(r measure.Result, t measure.TargetResult) string {
	sign := "≤"
	if r.Better == measure.Higher {
		sign = "≥"
	}
	if t.Of == "" {
		return fmt.Sprintf("%s %s (%s %s)", Figure(t.Ratio), r.Unit, sign, Figure(t.Limit))
	}
	return fmt.Sprintf("%s × %s (%s %s)", Figure(t.Ratio), shortened(t.Of, 18), sign, Figure(t.Limit))
}

// Peers draws the figures of all subjects of the rows that have peers, each row
// on a logarithmic scale of its own.
func Peers(w io.Writer, rows []measure.Result) error {
	c := &canvas{width: labelWidth + barWidth + 130 + 3*margin}
	title := "Reeve beside its peers"
	c.text(margin+6, 24, "title", "start", title)
	c.text(margin+6, 41, "small quiet", "start", "Each group has a logarithmic scale of its own.")
	y := 58.0
	var words []string
	for _, r := range rows {
		shown := measured(r)
		if !hasPeer(shown) {
			continue
		}
		c.text(margin+6, y+12, "head small", "start", r.Title+" ("+r.Unit+", "+string(r.Better)+" is better)")
		y += 22
		scale := spanOf(shown)
		for _, s := range shown {
			c.text(margin+labelWidth-8, y+11, "small", "end", shortened(nameOf(s), 50))
			length := max(2, scale.part(s.Median)*barWidth)
			c.rect(margin+labelWidth, y, length, barHeight, string(s.Role))
			c.text(margin+labelWidth+length+6, y+11, "small quiet", "start", Figure(s.Median)+" "+r.Unit)
			y += 20
			words = append(words, fmt.Sprintf("%s, %s: %s %s.", r.Title, nameOf(s), Figure(s.Median), r.Unit))
		}
		y += 10
	}
	if len(words) == 0 {
		return nil
	}
	c.height = y + margin
	return c.writeTo(w, title, strings.Join(words, " "))
}

// nameOf is what a subject is called beside others.
func nameOf(s measure.SubjectResult) string {
	switch s.Role {
	case measure.Reeve:
		return "Reeve, " + s.Name
	case measure.Floor:
		return "floor: " + s.Name
	default:
		return s.Name
	}
}

// measured are the subjects that have a figure.
func measured(r measure.Result) (shown []measure.SubjectResult) {
	for _, s := range r.Subjects {
		if s.Skipped == "" && s.Median > 0 {
			shown = append(shown, s)
		}
	}
	return shown
}

func hasPeer(subjects []measure.SubjectResult) bool {
	for _, s := range subjects {
		if s.Role == measure.Peer {
			return true
		}
	}
	return false
}

// spanOf is a scale on which the least is still seen.
func spanOf(subjects []measure.SubjectResult) axis {
	low, high := subjects[0].Median, subjects[0].Median
	for _, s := range subjects {
		low, high = min(low, s.Median), max(high, s.Median)
	}
	return axis{math.Log10(low) - 0.3, math.Log10(high)}
}

// shortened cuts what is too long for its place.
func shortened(words string, most int) string {
	if letters := []rune(words); len(letters) > most {
		return strings.TrimSpace(string(letters[:most-1])) + "…"
	}
	return words
}
