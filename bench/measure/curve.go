package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Curve is a cost per operation against the size of something.
type Curve struct {
	ID, Title string
	Unit      string // of the cost: "ms"
	// At measures the cost of one operation, several times, at the size that
	// its family has grown to.
	At func(ctx context.Context, size float64) ([]float64, error)
	// Limit is the steepest slope that is right; see CurveResult.Slope.
	Limit float64
	// Most is what no size may cost more than; 0: anything.
	Most float64
	// Explained says why it grows where it does, for who reads the plot.
	Explained string
}

// Family is the curves that one thing draws as it grows: all of them are
// measured at a size before the next, for to grow costs more than to measure.
// They are measured in their order, so what changes the thing comes last.
type Family struct {
	X      string // what grows: "records"
	Sizes  []float64
	Curves []Curve
	// Grow makes the thing as large as that. A Skip says that it does not get
	// so large here: the curves end before.
	Grow func(ctx context.Context, size float64) error
	// Close gives up what Grow made. It is called once, also after an error.
	Close func() error
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
	Most    float64 `json:"most,omitempty"`
	Verdict Verdict `json:"verdict"`
	// Skipped says why the curve ends before its last size, or has no points.
	Skipped string `json:"skipped,omitempty"`
}

// CurvePoint is the cost at a size: the median and the quartiles.
type CurvePoint struct {
	Size   float64 `json:"size"`
	Low    float64 `json:"low"`
	Median float64 `json:"median"`
	High   float64 `json:"high"`
}

// Run measures the curves of a family.
func (f Family) Run(ctx context.Context) (_ []CurveResult, err error) {
	results := make([]CurveResult, len(f.Curves))
	for i, c := range f.Curves {
		results[i] = CurveResult{ID: c.ID, Title: c.Title, X: f.X, Unit: c.Unit, Explained: c.Explained, Limit: c.Limit, Most: c.Most}
	}
	defer func() {
		if closed := f.Close(); closed != nil {
			err = errors.Join(err, fmt.Errorf("%s: close: %w", f.X, closed))
		}
	}()
	for _, size := range f.Sizes {
		err := f.Grow(ctx, size)
		if reason, is := skipped(err); is {
			for i := range results {
				results[i].Skipped = reason
			}
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%g %s: %w", size, f.X, err)
		}
		for i, c := range f.Curves {
			if err := results[i].measure(ctx, c, size); err != nil {
				return nil, err
			}
		}
	}
	for i := range results {
		results[i].judge()
	}
	return results, nil
}

// measure adds the point of a size, unless the curve has ended before.
func (r *CurveResult) measure(ctx context.Context, c Curve, size float64) error {
	if r.Skipped != "" {
		return nil
	}
	figures, err := c.At(ctx, size)
	if reason, is := skipped(err); is {
		r.Skipped = reason
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s at %g: %w", c.ID, size, err)
	}
	r.Points = append(r.Points, CurvePoint{size, Quantile(figures, 0.25), Median(figures), Quantile(figures, 0.75)})
	return nil
}

func (r *CurveResult) judge() {
	if len(r.Points) == 0 {
		r.Verdict = Skipped
		return
	}
	upper := r.Points[len(r.Points)/2:]
	if len(upper) == 1 { // one point has no slope
		upper = r.Points
	}
	r.Slope = slope(upper)
	r.Verdict = Pass
	if r.Slope > r.Limit || r.tooMuch() {
		r.Verdict = Short
	}
}

func (r *CurveResult) tooMuch() bool {
	return r.Most > 0 && slices.ContainsFunc(r.Points, func(p CurvePoint) bool { return p.Median > r.Most })
}

// slope fits log cost = a + slope × log size by least squares. A cost of
// nothing has no logarithm and is left out.
func slope(points []CurvePoint) float64 {
	var n, sx, sy, sxx, sxy float64
	for _, p := range points {
		if p.Median <= 0 {
			continue
		}
		x, y := math.Log(p.Size), math.Log(p.Median)
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	if d := n*sxx - sx*sx; d > 1e-9 {
		return (n*sxy - sx*sy) / d
	}
	return 0
}
