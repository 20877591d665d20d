package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
)

// yardstick is a bare spawn and a sync of a page, taken again and again through
// the run: it should not move, so where it does the machine did.
type yardstick struct {
	file    *os.File
	times   int
	figures []float64 // milliseconds, one for each reading
}

func newYardstick(l *lab.Lab) (*yardstick, error) {
	f, err := os.Create(filepath.Join(l.Dir, "yardstick"))
	return &yardstick{file: f, times: l.Size(100, 10)}, err
}

func (y *yardstick) Close() error { return y.file.Close() }

// read takes a reading, after all that earlier rows wrote has reached the disk.
func (y *yardstick) read(ctx context.Context) error {
	lab.Settle()
	var took []float64
	for range y.times {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		begin := time.Now()
		if err := lab.SpawnAndSync(y.file); err != nil {
			return fmt.Errorf("yardstick: %w", err)
		}
		took = append(took, time.Since(begin).Seconds()*1e3)
	}
	y.figures = append(y.figures, measure.Median(took))
	return nil
}

// moved is how far the readings lie apart, as part of their median. The one in
// ten at either end is left out: rows are medians, and forgive a hiccup, too.
func (y *yardstick) moved() float64 {
	return (measure.Quantile(y.figures, 0.9) - measure.Quantile(y.figures, 0.1)) / measure.Median(y.figures)
}
