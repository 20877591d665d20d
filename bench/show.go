package main

import (
	"os"

	"github.com/reeverun/reeve/bench/plot"
	"github.com/reeverun/reeve/bench/report"
)

// show prints the table and writes what else was asked for.
func show(r *report.Report, o options) error {
	if err := report.Table(os.Stdout, r); err != nil {
		return err
	}
	if o.json != "" {
		if err := r.Write(o.json); err != nil {
			return err
		}
	}
	if o.plots != "" {
		return plot.Write(o.plots, r.Rows, r.Curves)
	}
	return nil
}
