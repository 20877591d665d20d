package tui

import (
	"strings"
	"time"

	"github.com/reeverun/reeve/wording"
)

// timelineLines draws the bars on one axis.
func (m *Model) timelineLines() []string {
	if !m.tail.opened {
		return nil
	}
	t := m.timelineOf(m.tail.entries)
	if len(t.bars) == 0 {
		return []string{m.theme.paint(dim, "It has not run yet.")}
	}
	names := min(32, max(12, m.width/3))
	axis := m.width - names - 1
	if axis < 8 {
		names, axis = 0, m.width
	}
	span := max(t.end.Sub(t.start), time.Millisecond)
	lines := []string{blanks(names+1) + m.theme.paint(dim, m.theme.scale(span, axis))}
	for i := range t.bars {
		b := &t.bars[i]
		name := ""
		if names > 0 {
			name = m.theme.spread(b.label, b.took(), names) + " "
		}
		lines = append(lines, name+m.theme.draw(b, t.start, span, axis))
	}
	return lines
}

// took is how long it lasted.
func (b *bar) took() string {
	if b.moment {
		return ""
	}
	return wording.Duration(b.to.Sub(b.from))
}

// scale writes times below the axis: at its beginning, its middle and its end.
func (t theme) scale(span time.Duration, columns int) string {
	from, middle, to := "0", wording.Duration(span/2), wording.Duration(span)
	gap := columns - t.width(from) - t.width(to)
	if gap < t.width(middle)+2 {
		return t.spread(from, to, columns)
	}
	left := (gap - t.width(middle)) / 2
	return from + blanks(left) + middle + blanks(gap-left-t.width(middle)) + to
}

// draw places a bar on the axis.
func (t theme) draw(b *bar, start time.Time, span time.Duration, columns int) string {
	column := func(at time.Time) int {
		return min(columns-1, max(0, int(float64(at.Sub(start))/float64(span)*float64(columns-1)+0.5)))
	}
	from, to := column(b.from), column(b.to)
	if b.moment {
		return blanks(from) + t.paint(b.color, t.pick("◆", "*"))
	}
	line := strings.Repeat(t.pick("━", "="), to-from+1)
	if b.open {
		line = strings.TrimSuffix(line, t.pick("━", "=")) + t.pick("▶", ">")
	}
	return blanks(from) + t.paint(b.color, line)
}
