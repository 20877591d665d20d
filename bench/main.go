// Bench measures Reeve against what the machine can do and against its peers:
// every row of the table of floors and targets, subject by subject in turns,
// and how costs grow. Figures of one run compare with each other, not with those
// of another machine; a run whose machine moved too much under it is void.
//
//	go run ./bench                        # all of it
//	go run ./bench -short                 # does it work? In about a minute
//	go run ./bench -only 'spawn|capture'
//	go run ./bench -list
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"syscall"

	"github.com/reeverun/reeve/bench/report"
)

// options is what the command line asks for.
type options struct {
	short, list, peers, growth, strict, docs bool
	only                                     *regexp.Regexp
	rounds                                   int
	json, plots, from, profile               string
}

// errShort is the end of a strict run in which a target was not met.
var errShort = errors.New("a target was not met")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := bench(ctx, os.Args[1:])
	stop()
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parse(args []string) (options, error) {
	o := options{only: regexp.MustCompile("")}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.BoolVar(&o.short, "short", false, "small sizes and two rounds: shows that it works, not how fast it is")
	f.BoolVar(&o.list, "list", false, "name the rows and curves, and measure nothing")
	f.BoolVar(&o.peers, "peers", true, "measure other systems, too, where they can be had")
	f.BoolVar(&o.growth, "growth", true, "measure how costs grow, too")
	f.BoolVar(&o.strict, "strict", false, "exit with 1 where a target is not met")
	f.BoolVar(&o.docs, "docs", false, "write tables and plots into README.md and docs")
	f.Func("only", "measure only rows and curves whose id matches this `regexp`", func(s string) (err error) {
		o.only, err = regexp.Compile(s)
		return err
	})
	f.IntVar(&o.rounds, "rounds", 0, "rounds of each row, in place of its own number")
	f.StringVar(&o.json, "json", "", "write the results to this `file`")
	f.StringVar(&o.plots, "plots", "", "write plots (SVG) into this `folder`")
	f.StringVar(&o.from, "from", "", "show the results of an earlier run, kept in this `file`, and measure nothing")
	f.StringVar(&o.profile, "profile", "", "write profiles of processor time and memory into this `folder`")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("unexpected %q: see -help", f.Arg(0))
	}
	return o, nil
}

func bench(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	var r *report.Report
	switch {
	case o.list:
		return list(ctx, o)
	case o.from != "":
		r, err = report.Read(o.from)
	default:
		r, err = measured(ctx, o)
	}
	if r == nil || len(r.Rows)+len(r.Curves) == 0 {
		return err
	}
	if err != nil {
		o.docs = false // they are not the place for part of a run
	}
	if shown := show(ctx, r, o); shown != nil {
		return errors.Join(err, shown)
	}
	if err == nil && o.strict && r.Short() {
		err = errShort
	}
	return err
}
