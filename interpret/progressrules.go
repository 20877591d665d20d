package interpret

import (
	"fmt"
	"math"

	"github.com/reeverun/reeve/process"
)

func compileProgress(r *rule, s ruleSpec) error {
	if r.detect != nil {
		if s.Percent+s.Done+s.Total+s.Unit+s.Hint != "" {
			return fmt.Errorf("detect: takes no other key of progress")
		}
		r.do = func(e *engine, c *Context, m match) { e.tell(c, m.progress, true) }
		return nil
	}
	var pct, done, total, hint template
	if err := r.texts(textSpec{"percent", s.Percent, &pct}, textSpec{"done", s.Done, &done},
		textSpec{"total", s.Total, &total}, textSpec{"hint", s.Hint, &hint}); err != nil {
		return err
	}
	unit := process.ProgressUnit(s.Unit)
	switch {
	case s.Starting && s.Done == "":
		return fmt.Errorf("starting: needs done")
	case s.Percent != "" && s.Done+s.Total+s.Unit+s.Hint == "":
		r.do = func(e *engine, c *Context, m match) {
			v, ok := parseSize(m.expand(pct), "")
			e.tell(c, process.Fraction(v/100), ok)
		}
	case s.Done != "" && s.Percent+s.Hint == "" && (unit == "" || unit == process.UnitCount || unit == process.UnitBytes):
		r.do = func(e *engine, c *Context, m match) {
			p, ok := amount(m.expand(done), expandIf(m, total), unit)
			if s.Starting { // the one that is counted last is not done yet
				p.Done--
			}
			e.tell(c, p, ok)
		}
	case s.Hint != "" && s.Percent+s.Done+s.Total+s.Unit == "":
		r.do = func(e *engine, c *Context, m match) {
			e.tell(c, process.Progress{Kind: process.ProgressIndeterminate, Hint: m.expand(hint)}, true)
		}
	default:
		return fmt.Errorf("progress: want detect, percent, hint, or done with an optional total and a unit of count or bytes")
	}
	return nil
}

// expandIf fills in a template that may be absent: then the text is empty.
func expandIf(m match, t template) string {
	if len(t) == 0 {
		return ""
	}
	return m.expand(t)
}

// amount reads a count or a number of bytes. A part without a unit has the
// unit of the other.
func amount(done, total string, unit process.ProgressUnit) (p process.Progress, ok bool) {
	p = process.Progress{Kind: process.ProgressDeterminate, Unit: process.UnitCount}
	if unit == process.UnitBytes {
		p.Unit = unit
	}
	d, ok := parseSize(done, unitOf(total))
	if !ok {
		return p, false
	}
	p.Done = whole(d)
	if total != "" {
		t, ok := parseSize(total, unitOf(done))
		if !ok {
			return p, false
		}
		p.Total = whole(t)
	}
	return p, true
}

func whole(v float64) int64 { return int64(math.Round(min(v, 1<<62))) }

// tell states a progress, scaled into the share of the open phase if it has
// one. What cannot be scaled is not told: it would say less than is known.
func (e *engine) tell(c *Context, p process.Progress, ok bool) {
	if !ok {
		return
	}
	for i := len(c.s.phases) - 1; i >= 0; i-- {
		if s, found := e.slices[c.s.phases[i].Name]; found {
			share, known := p.Clamp().Share()
			if known {
				c.Progress(s.scale(share))
			}
			return
		}
	}
	c.Progress(p)
}
