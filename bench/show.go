package main

import (
	"context"
	"fmt"
	"os"

	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/plot"
	"github.com/reeverun/reeve/bench/report"
)

// show prints the table and writes what else was asked for.
func show(ctx context.Context, r *report.Report, o options) error {
	if err := report.Table(os.Stdout, r); err != nil {
		return err
	}
	if o.json != "" {
		if err := r.Write(o.json); err != nil {
			return err
		}
	}
	if o.plots != "" {
		if err := plot.Write(o.plots, r.Rows, r.Curves); err != nil {
			return err
		}
	}
	if o.docs {
		return document(ctx, r)
	}
	return nil
}

// document writes tables and plots into the documentation.
func document(ctx context.Context, r *report.Report) error {
	root, err := lab.Root(ctx)
	if err != nil {
		return err
	}
	changed, err := report.Docs(root, r)
	for _, file := range changed {
		fmt.Fprintln(os.Stderr, "wrote", file)
	}
	if err != nil {
		return err
	}
	return plot.Write(report.Images(root), r.Rows, r.Curves)
}
