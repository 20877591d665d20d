package measure

import (
	"context"
	"fmt"
	"math"
)

// Curve is a cost per operation against the size of something.
type Curve struct {
	ID, Title string
	X         string // what grows: "records"
	Unit      string // of the cost: "ms"
	Sizes     []float64
	// At measures the cost of one operation at a size, several times.
	At func(ctx context.Context, size float64) ([]float64, error)
	// Explained says why it grows, where it does faster than it should.
	Explained string
	// Limit is the steepest slope that is right; see CurveResult.Slope.
	Limit float64
}

// CurveResult is a curve as it was measured.
type CurveResult struct {
	ID        string       `json:"id"`
	Title     string       `json:"title"`
	X         string       `json:"x"`
	Unit      string       `json:"unit"`
	Points    []CurvePoint `json:"points"`
	Explained string       `json:"explained,omitempty"`
	// Slope is the exponent of size in the cost, over the upper half of the
	// sizes: 0 is constant per operation, which is linear in all; 1 grows with
	// size.
	Slope   float64 `json:"slope"`
	Limit   float64 `json:"limit"`
	Verdict Verdict `json:"verdict"`
	Skipped string  `json:"skipped,omitempty"`
}

// CurvePoint is the cost at a size: the median and the quartiles.
type CurvePoint struct {
	Size   float64 `json:"size"`
	Low    float64 `json:"low"`
	Median float64 `json:"median"`
	High   float64 `json:"high"`
}

// Run measures a curve at the sizes up to most, or at all where most is 0.
func (c Curve) Run(ctx context.Context, most float64) (CurveResult, error) {
	out := CurveResult{ID: c.ID, Title: c.Title, X: c.X, Unit: c.Unit, Explained: c.Explained, Limit: c.Limit}
	for _, size := range c.Sizes {
		if most > 0 && size > most {
			continue
		}
		figures, err := c.At(ctx, size)
		if reason, is := skipped(err); is {
			out.Skipped, out.Verdict = reason, Skipped
			return out, nil
		}
		if err != nil {
			return out, fmt.Errorf("%s at %g: %w", c.ID, size, err)
		}
		out.Points = append(out.Points, CurvePoint{size, Quantile(figures, 0.25), Median(figures), Quantile(figures, 0.75)})
	}
	out.Slope = slope(out.Points[len(out.Points)/2:])
	if len(out.Points) > 1 && len(out.Points)/2 == len(out.Points)-1 { // one point has no slope
		out.Slope = slope(out.Points)
	}
	out.Verdict = Pass
	if out.Slope > c.Limit {
		out.Verdict = Short
	}
	return out, nil
}

// slope fits log cost = a + slope × log size by least squares.
func slope(points []CurvePoint) float64 {
	var sx, sy, sxx, sxy float64
	for _, p := range points {
		x, y := math.Log(p.Size), math.Log(p.Median)
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	n := float64(len(points))
	if d := n*sxx - sx*sx; d != 0 {
		return (n*sxy - sx*sy) / d
	}
	return 0
}
