package plot

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/reeverun/reeve/bench/measure"
)

// The panels of a picture of curves.
const (
	panelWidth, panelHeight = 290.0, 216.0
	insetLeft, insetRight   = 52.0, 16.0
	insetTop, insetBottom   = 56.0, 30.0
	columns                 = 3
	margin                  = 10.0
	headHeight              = 46.0
)

// Growth draws the curves of one family, each in a panel of its own, both axes
// logarithmic: what is level does not depend on size, the dashed line grows with
// it.
func Growth(w io.Writer, curves []measure.CurveResult) error {
	if len(curves) == 0 {
		return nil
	}
	wide := min(columns, len(curves))
	rows := (len(curves) + columns - 1) / columns
	c := &canvas{width: float64(wide)*panelWidth + 2*margin, height: float64(rows)*panelHeight + headHeight + margin}
	c.width = max(c.width, 460)
	title := "Cost against " + curves[0].X
	c.text(margin+6, 24, "title", "start", title)
	c.text(margin+6, 41, "small quiet", "start", "Both axes logarithmic. Shaded: the middle half. Dashed: as steep as size itself.")
	var words []string
	for i, curve := range curves {
		x := margin + float64(i%columns)*panelWidth
		y := headHeight + float64(i/columns)*panelHeight
		panel{c, curve, x + insetLeft, y + insetTop, panelWidth - insetLeft - insetRight, panelHeight - insetTop - insetBottom}.draw()
		words = append(words, inWords(curve))
	}
	return c.writeTo(w, title, strings.Join(words, " "))
}

// inWords says what a curve shows.
func inWords(c measure.CurveResult) string {
	shown := positive(c.Points)
	if len(shown) == 0 {
		return fmt.Sprintf("%s: not measured (%s).", c.Title, c.Skipped)
	}
	first, last := shown[0], shown[len(shown)-1]
	return fmt.Sprintf("%s: %s %s at %s, %s at %s, slope %.2f.", c.Title, Figure(first.Median), c.Unit, Figure(first.Size), Figure(last.Median), Figure(last.Size), c.Slope)
}

// positive are the points that a logarithm can show.
func positive(points []measure.CurvePoint) (shown []measure.CurvePoint) {
	for _, p := range points {
		if p.Median > 0 && p.Size > 0 {
			shown = append(shown, p)
		}
	}
	return shown
}

// panel is one curve in a place of the picture.
type panel struct {
	c                   *canvas
	curve               measure.CurveResult
	x, y, width, height float64
}

func (p panel) draw() {
	left, y := p.x-insetLeft+6, p.y-40
	for _, line := range wrap(p.curve.Title+", "+p.curve.Unit, 44) {
		p.c.text(left, y, "head small", "start", line)
		y += 13
	}
	p.c.text(left, y+1, "small quiet", "start", asked(p.curve))
	shown := positive(p.curve.Points)
	if len(shown) == 0 {
		p.c.text(p.x, p.y+p.height/2, "small quiet", "start", wrap("not measured: "+p.curve.Skipped, 40)[0])
		return
	}
	across := logAxis(shown[0].Size, shown[len(shown)-1].Size, 1)
	low, high := shown[0].Median, shown[0].Median
	for _, s := range shown {
		low, high = min(low, s.Median, orElse(s.Low, s.Median)), max(high, s.Median, s.High)
	}
	up := logAxis(low, high, 2)
	p.grid(across, up)
	p.guide(across, up, shown)
	p.curveLine(across, up, shown)
}

// asked is what is asked of a curve, and how it does.
func asked(c measure.CurveResult) string {
	words := fmt.Sprintf("slope %.2f (≤ %s)", c.Slope, Figure(c.Limit))
	if c.Most > 0 {
		words += fmt.Sprintf(", each ≤ %s %s", Figure(c.Most), c.Unit)
	}
	return words
}

func (p panel) at(across, up axis, size, cost float64) [2]float64 {
	return [2]float64{p.x + across.part(size)*p.width, p.y + (1-up.part(cost))*p.height}
}

func (p panel) grid(across, up axis) {
	for v := range up.decades {
		y := p.at(across, up, math.Pow(10, across.low), v)[1]
		p.c.line(p.x, y, p.x+p.width, y, "grid")
		p.c.text(p.x-5, y+4, "small quiet", "end", Figure(v))
	}
	for v := range across.decades {
		x := p.at(across, up, v, math.Pow(10, up.low))[0]
		p.c.line(x, p.y, x, p.y+p.height, "grid")
		p.c.text(x, p.y+p.height+14, "small quiet", "middle", Figure(v))
	}
	p.c.line(p.x, p.y+p.height, p.x+p.width, p.y+p.height, "axis")
}

// guide is the line of what grows with size, from where the curve begins.
func (p panel) guide(across, up axis, shown []measure.CurvePoint) {
	from := shown[0]
	reach := min(math.Pow(10, across.high)/from.Size, math.Pow(10, up.high)/from.Median)
	a, b := p.at(across, up, from.Size, from.Median), p.at(across, up, from.Size*reach, from.Median*reach)
	p.c.line(a[0], a[1], b[0], b[1], "guide")
}

func (p panel) curveLine(across, up axis, shown []measure.CurvePoint) {
	var line, upper, lower [][2]float64
	for i, s := range shown {
		line = append(line, p.at(across, up, s.Size, s.Median))
		upper = append(upper, p.at(across, up, s.Size, max(s.High, s.Median)))
		back := shown[len(shown)-1-i]
		lower = append(lower, p.at(across, up, back.Size, orElse(back.Low, back.Median)))
	}
	colour := class(p.curve.Verdict)
	p.c.path(append(upper, lower...), true, "band "+colour)
	p.c.path(line, false, "line "+colour)
	for i, at := range line {
		p.c.add(`<circle cx="%s" cy="%s" r="2.5" class="dot %s"><title>%s: %s %s</title></circle>`, px(at[0]), px(at[1]), colour,
			Figure(shown[i].Size), Figure(shown[i].Median), p.curve.Unit)
	}
}

// orElse is v, where a logarithm can show it.
func orElse(v, otherwise float64) float64 {
	if v > 0 {
		return v
	}
	return otherwise
}

// wrap breaks words into lines of so many characters, where it can.
func wrap(words string, most int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(words) {
		if line != "" && len(line)+1+len(word) > most {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}
