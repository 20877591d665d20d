package main

import (
	"os"

	"github.com/reeverun/reeve/bench/report"
)

// show prints the table and writes what else was asked for.
func show(r *report.Report, o options) error {
	if err := report.Table(os.Stdout, r); err != nil {
		return err
	}
	if o.json != "" {
		return r.Write(o.json)
	}
	return nil
}
