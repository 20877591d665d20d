package tui

import (
	"fmt"
	"strings"
	"time"
)

// width is how many columns a text takes; colours take none.
func (t theme) width(s string) int { return t.widths.StringWidth(s) }

// clip shortens a text to a number of columns and says so at its end.
func (t theme) clip(s string, columns int) string {
	if columns <= 0 {
		return ""
	}
	return t.widths.Truncate(s, columns, t.pick("…", "~"))
}

// pad makes a text exactly as wide as its column.
func (t theme) pad(s string, columns int) string {
	s = t.clip(s, columns)
	return s + blanks(columns-t.width(s))
}

// padLeft is pad for numbers.
func (t theme) padLeft(s string, columns int) string {
	s = t.clip(s, columns)
	return blanks(columns-t.width(s)) + s
}

func blanks(n int) string { return strings.Repeat(" ", max(0, n)) }

// spread puts two texts at the ends of a line; the first gives way.
func (t theme) spread(left, right string, columns int) string {
	right = t.clip(right, columns)
	left = t.clip(left, columns-t.width(right)-1)
	return left + blanks(columns-t.width(left)-t.width(right)) + right
}

// wholeSeconds is a duration that changes once a second: a screen that ticks
// should not redraw more often.
func wholeSeconds(d time.Duration) string {
	s := int(max(0, d) / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	case s < 86400:
		return fmt.Sprintf("%dh%02dm", s/3600, s/60%60)
	}
	return fmt.Sprintf("%dd%02dh", s/86400, s/3600%24)
}

// shortCount says a large number in five columns.
func shortCount(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}
