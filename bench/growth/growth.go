// Package growth measures how the cost of one operation moves as something
// grows: records, live processes, subscribers, the rate of lines, trees. What
// should not move has a slope near 0; slopes are fitted to the upper half of
// the sizes, where what is fixed no longer hides what grows.
package growth

import (
	"context"
	"math"
	"time"

	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
)

// level is the slope below which a cost does not depend on size: between two
// decades it moves by less than half. Indexes get deeper and caches get colder,
// and figures have noise.
const level = 0.15

// All returns the families of curves. Nothing is started before one is run.
func All(l *lab.Lab) []measure.Family {
	return []measure.Family{records(l), live(l), subscribers(l), lines(l), tree(l), children(l)}
}

// sizes are half decades, up to a smaller end in a short run.
func sizes(l *lab.Lab, first, last, short float64) (all []float64) {
	if l.Short {
		last = short
	}
	for exponent := math.Log10(first); ; exponent += 0.5 {
		size := math.Pow(10, exponent)
		if exponent != math.Trunc(exponent) {
			size = 3 * math.Pow(10, math.Floor(exponent)) // 3, not 3.16
		}
		if size > last*1.001 {
			return all
		}
		all = append(all, math.Round(size))
	}
}

// each does something several times and returns how long each took, in
// milliseconds.
func each(ctx context.Context, times int, do func(i int) error) ([]float64, error) {
	took := make([]float64, times)
	for i := range took {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		begin := time.Now()
		if err := do(i); err != nil {
			return nil, err
		}
		took[i] = milliseconds(time.Since(begin))
	}
	return took, nil
}

// divided divides figures.
func divided(figures []float64, by float64) []float64 {
	for i := range figures {
		figures[i] /= by
	}
	return figures
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1e3 }
