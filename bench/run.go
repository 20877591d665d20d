package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/reeverun/reeve/bench/growth"
	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
	"github.com/reeverun/reeve/bench/report"
	"github.com/reeverun/reeve/bench/rows"
)

// list names what can be measured.
func list(ctx context.Context, o options) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	l := &lab.Lab{Short: o.short}
	for _, r := range chosenRows(l, o) {
		fmt.Fprintf(w, "%s\t%s\n", r.ID, r.Title)
	}
	for _, f := range families(l, o) {
		for _, c := range f.Curves {
			if o.only.MatchString(c.ID) {
				fmt.Fprintf(w, "%s\t%s\n", c.ID, c.Title)
			}
		}
	}
	return w.Flush()
}

func chosenRows(l *lab.Lab, o options) (chosen []measure.Row) {
	for _, r := range rows.All(l) {
		if !o.only.MatchString(r.ID) {
			continue
		}
		if !o.peers {
			r = r.Without(measure.Peer)
		}
		chosen = append(chosen, r)
	}
	return chosen
}

// families is what grows, if that is to be measured.
func families(l *lab.Lab, o options) []measure.Family {
	if !o.growth {
		return nil
	}
	return growth.All(l)
}

func countCurves(l *lab.Lab, o options) (n int) {
	for _, f := range families(l, o) {
		for _, c := range f.Curves {
			if o.only.MatchString(c.ID) {
				n++
			}
		}
	}
	return n
}

// measured makes a run. What fails is in the report and in the error; the rest
// is measured all the same, unless ctx ends: then the report has what was done.
func measured(ctx context.Context, o options) (*report.Report, error) {
	if none := &(lab.Lab{}); len(chosenRows(none, o))+countCurves(none, o) == 0 {
		return nil, errors.New("-only matches no row and no curve: -list names them")
	}
	l, err := lab.Open(ctx, o.short, o.profile != "")
	if err != nil {
		return nil, err
	}
	r, err := measuredIn(ctx, l, o)
	return r, errors.Join(err, l.Close())
}

func measuredIn(ctx context.Context, l *lab.Lab, o options) (*report.Report, error) {
	y, err := newYardstick(l)
	if err != nil {
		return nil, err
	}
	defer y.Close()
	r := &report.Report{Machine: report.ThisMachine(ctx, l.Root), SmallSizes: o.short}
	var failed []error
	for _, row := range chosenRows(l, o) {
		if err := y.read(ctx); err != nil {
			return r, err
		}
		result, err := timed(row.ID, func() (measure.Result, error) {
			return profiled(l, o, row.ID, func() (measure.Result, error) { return row.Run(ctx, rounds(row, o)) })
		})
		if ctx.Err() != nil {
			return r, errStopped(ctx)
		}
		if err != nil {
			result.Failed, result.Verdict = err.Error(), measure.Failed
			failed = append(failed, err)
		}
		r.Rows = append(r.Rows, result)
	}
	for _, f := range families(l, o) {
		if err := y.read(ctx); err != nil {
			return r, err
		}
		results, err := timed(f.X, func() ([]measure.CurveResult, error) {
			return profiled(l, o, strings.ReplaceAll(f.X, " ", "-"), func() ([]measure.CurveResult, error) { return f.Run(ctx, o.only.MatchString) })
		})
		if ctx.Err() != nil {
			return r, errStopped(ctx)
		}
		if err != nil {
			failed = append(failed, err)
		}
		r.Curves = append(r.Curves, results...)
	}
	if err := y.read(ctx); err != nil {
		return r, err
	}
	r.Yardstick, r.Moved = y.figures, y.moved()
	r.Void = r.Moved > report.MostMoved
	return r, errors.Join(failed...)
}

func errStopped(ctx context.Context) error {
	return fmt.Errorf("stopped before the end: %w", context.Cause(ctx))
}

func rounds(row measure.Row, o options) int {
	switch {
	case o.rounds > 0:
		return o.rounds
	case o.short:
		return 2
	default:
		return row.Rounds
	}
}

// timed says what is measured, and how long that took.
func timed[R any](id string, run func() (R, error)) (R, error) {
	fmt.Fprintf(os.Stderr, "%-22s", id)
	begin := time.Now()
	result, err := run()
	fmt.Fprintf(os.Stderr, "%6.1f s\n", time.Since(begin).Seconds())
	if err != nil {
		fmt.Fprintf(os.Stderr, "  %v\n", err)
	}
	return result, err
}
