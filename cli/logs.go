package cli

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
	"github.com/spf13/cobra"
)

// logsOptions are the flags of logs.
type logsOptions struct {
	follow, stdout, stderr bool
	run, tail              int
}

func (a *App) logsCommand() *cobra.Command {
	var o logsOptions
	cmd := &cobra.Command{
		Use:   "logs ID",
		Short: "Print what a process wrote",
		Long: "Print the output of a process's newest run, or of --run N, byte for byte: its stdout\n" +
			"to stdout and then its stderr to stderr. With -f both are followed until the run\n" +
			"ends; without it, a running process gives what it wrote so far.",
		Example: "  reeve logs 12\n  reeve logs -f nightly\n  reeve logs 12 --stderr --tail 20\n" +
			"  reeve logs 12 --run 1 --stdout > first.txt",
		Args:              needOneID,
		ValidArgsFunction: a.completeIDs(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.run < 0 || cmd.Flags().Changed("run") && o.run == 0 {
				return usagef("--run %d: runs are numbered from 1", o.run)
			}
			if a.global.json {
				return usagef("logs prints bytes, not JSON: 'reeve events %s --json --kind output_appended' has the lines", args[0])
			}
			if o.tail < 0 && cmd.Flags().Changed("tail") {
				return usagef("--tail %d: want 0 or more", o.tail)
			}
			return a.logs(cmd.Context(), args[0], o)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&o.follow, "follow", "f", false, "go on until the run ends")
	f.BoolVar(&o.stdout, "stdout", false, "only stdout")
	f.BoolVar(&o.stderr, "stderr", false, "only stderr")
	f.IntVar(&o.run, "run", 0, "`run` to show (default: the newest)")
	f.IntVarP(&o.tail, "tail", "n", -1, "only this `number` of lines of each, the last ones")
	f.Lookup("tail").DefValue = "0" // the default, all, is not worth showing as a number
	return cmd
}

func (a *App) logs(ctx context.Context, arg string, o logsOptions) error {
	c, err := a.connect(ctx, connectOptions{})
	if err != nil {
		return err
	}
	defer c.Close()
	id, err := find(ctx, c, arg)
	if err != nil {
		return err
	}
	logs, over, err := o.choose(ctx, c, id)
	if err != nil {
		return err
	}
	show := func(ctx context.Context, l runLog) error {
		_, err := l.copy(ctx, c, a.writer(l.log.Stream), over, o)
		return err
	}
	if o.follow && !over {
		return together(ctx, logs, show)
	}
	for _, l := range logs {
		if err := show(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

func (a *App) writer(stream process.Stream) io.Writer {
	if stream == process.Stderr {
		return a.Stderr
	}
	return a.Stdout
}

// runLog is a stream with its size at the time of asking.
type runLog struct {
	log  client.Log
	size int64
}

// choose returns the streams to show, and whether their run is over.
func (o logsOptions) choose(ctx context.Context, c *client.Client, id process.ID) (logs []runLog, over bool, err error) {
	rec, err := c.Process(ctx, id)
	if err != nil {
		return nil, false, err
	}
	out, errs, run := rec.StdoutBytes, rec.StderrBytes, rec.Run
	over = rec.State == process.Idle
	if o.run != 0 && o.run != rec.Run {
		r, err := c.RunRecord(ctx, id, o.run)
		if err != nil {
			return nil, false, err
		}
		out, errs, run, over = r.StdoutBytes, r.StderrBytes, o.run, true
	}
	if run == 0 {
		return nil, true, process.Errorf(process.CodeNotKept, "%s has never run, so it wrote nothing", id)
	}
	if o.stdout || !o.stderr {
		logs = append(logs, runLog{client.Log{Process: id, Run: run, Stream: process.Stdout}, out})
	}
	if o.stderr || !o.stdout {
		logs = append(logs, runLog{client.Log{Process: id, Run: run, Stream: process.Stderr}, errs})
	}
	return logs, over, nil
}

// copy writes the stream. One of a run that goes on can only be followed: up to
// what it held, or to the end.
func (l runLog) copy(ctx context.Context, c *client.Client, w io.Writer, over bool, o logsOptions) (int64, error) {
	log := l.log
	if o.tail >= 0 {
		from, err := l.tailStart(ctx, c, over, o.tail)
		if err != nil {
			return 0, err
		}
		log.From = from
	}
	switch {
	case over && log.From > 0 && log.From >= l.size:
		return 0, nil // a range must not be empty
	case over:
		return c.CopyOutput(ctx, w, log)
	case !o.follow && log.From >= l.size:
		return 0, nil
	case !o.follow:
		log.To = l.size
	}
	return c.FollowOutput(ctx, w, log)
}

// together shows several streams at a time and returns the first error.
func together(ctx context.Context, logs []runLog, show func(context.Context, runLog) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, len(logs))
	var all sync.WaitGroup
	for i, l := range logs {
		all.Go(func() {
			if errs[i] = show(ctx, l); errs[i] != nil {
				cancel()
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return errors.Join(errs...)
}
