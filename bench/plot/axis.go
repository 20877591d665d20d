package plot

import (
	"iter"
	"math"
)

// axis is a logarithmic one, from and to these powers of ten.
type axis struct{ low, high float64 }

// logAxis spans figures by whole decades, at least so many, with the figures in
// the middle.
func logAxis(low, high float64, least int) axis {
	a := axis{math.Floor(math.Log10(low) + 1e-9), math.Ceil(math.Log10(high) - 1e-9)}
	for below := true; a.high-a.low < float64(least); below = !below {
		room := math.Log10(low) - a.low
		if above := a.high - math.Log10(high); room < above || room == above && below {
			a.low--
		} else {
			a.high++
		}
	}
	return a
}

// part is where on the axis a figure is, from 0 to 1.
func (a axis) part(v float64) float64 { return (math.Log10(v) - a.low) / (a.high - a.low) }

// decades are the powers of ten on the axis: all, or every second one and so on
// where they are many.
func (a axis) decades(yield func(float64) bool) {
	step := math.Ceil((a.high - a.low) / 6)
	for e := a.low; e <= a.high; e += step {
		if !yield(math.Pow(10, e)) {
			return
		}
	}
}

var _ iter.Seq[float64] = axis{}.decades
