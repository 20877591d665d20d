package cli

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
	"github.com/spf13/cobra"
)

// eventsOptions are the flags of events.
type eventsOptions struct {
	follow bool
	after  int64
	kinds  []string
	except []string
	filter client.EventFilter
}

func (a *App) eventsCommand() *cobra.Command {
	var o eventsOptions
	cmd := &cobra.Command{
		Use:   "events [ID]",
		Short: "Print what happened",
		Long: "Print the events of a process, or of all. With -f it goes on: until the process has\n" +
			"finished, or for all of them, from now on, until it is interrupted.",
		Example:           "  reeve events 12\n  reeve events -f --kind finalized,paused\n  reeve events 12 --except output_appended\n  reeve events 12 --json | jq .kind",
		Args:              usageArgs(cobra.MaximumNArgs(1)),
		ValidArgsFunction: a.completeIDs(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.after < 0 {
				return usagef("--after %d: want 0 or more", o.after)
			}
			if len(args) > 0 && (o.filter.Tag != "" || o.filter.Environment != "") {
				return usagef("--tag and --environment choose among all processes: leave out the ID, or them")
			}
			var err error
			if o.filter.Only, err = kindsNamed("--kind", o.kinds); err != nil {
				return err
			}
			if o.filter.Except, err = kindsNamed("--except", o.except); err != nil {
				return err
			}
			return a.events(cmd.Context(), args, o, cmd.Flags().Changed("after"))
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&o.follow, "follow", "f", false, "go on with what happens")
	f.Int64Var(&o.after, "after", 0, "start after this `seq`, or for all processes after this cursor")
	f.StringSliceVar(&o.kinds, "kind", nil, "only events of this `kind`, or of several, with commas")
	f.StringSliceVar(&o.except, "except", nil, "no events of this `kind`, or of several: output_appended leaves out all output")
	f.StringVar(&o.filter.Tag, "tag", "", "only of processes with this `tag` (without an ID)")
	f.StringVar(&o.filter.Environment, "environment", "", "only of processes of this `environment` (without an ID)")
	return cmd
}

// kindNames are the kinds that are stored: a notice that some were missed is not.
func kindNames() (names []string) {
	for _, kind := range process.Kinds() {
		if kind != process.KindLagged {
			names = append(names, string(kind))
		}
	}
	return names
}

// kindsNamed are the kinds that a flag names.
func kindsNamed(flag string, names []string) (kinds []process.Kind, err error) {
	for _, name := range names {
		kind := process.Kind(strings.TrimSpace(name))
		if !slices.Contains(kindNames(), string(kind)) {
			return nil, usagef("%s %q: there are no such events; want some of %s", flag, name, strings.Join(kindNames(), ", "))
		}
		kinds = append(kinds, kind)
	}
	return kinds, nil
}

func (a *App) events(ctx context.Context, args []string, o eventsOptions, after bool) error {
	c, err := a.connect(ctx, connectOptions{})
	if err != nil {
		return err
	}
	defer c.Close()
	source, err := o.source(ctx, c, args, after)
	if err != nil {
		return err
	}
	p := a.palette(a.Stdout)
	for ev, err := range source {
		if err != nil {
			return err
		}
		if err := a.printEvent(&ev, len(args) == 0, p); err != nil {
			return err
		}
	}
	return nil
}

// source is where the events come from.
func (o eventsOptions) source(ctx context.Context, c *client.Client, args []string, after bool) (iter.Seq2[process.Event, error], error) {
	if len(args) == 0 {
		switch {
		case !o.follow:
			return storedEvents(ctx, c, o.filter, o.after), nil
		case !after:
			return c.AllEvents(ctx, o.filter, ""), nil
		}
		return c.AllEvents(ctx, o.filter, fmt.Sprint(o.after)), nil
	}
	id, err := find(ctx, c, args[0])
	if err != nil {
		return nil, err
	}
	if o.follow {
		return c.EventsOf(ctx, id, o.filter.KindFilter, o.after), nil
	}
	return eventsSoFar(ctx, c, id, o.filter.KindFilter, o.after), nil
}

// eventsSoFar are the stored events of a process.
func eventsSoFar(ctx context.Context, c *client.Client, id process.ID, f process.KindFilter, after int64) iter.Seq2[process.Event, error] {
	return func(yield func(process.Event, error) bool) {
		for {
			page, err := c.EventPage(ctx, id, process.EventQuery{After: after, KindFilter: f})
			if err != nil {
				yield(process.Event{}, err)
				return
			}
			for _, ev := range page.Events {
				if !yield(ev, nil) {
					return
				}
			}
			if len(page.Events) == 0 || page.Next <= after {
				return
			}
			after = page.Next
		}
	}
}

// storedEvents are the stored events of all processes.
func storedEvents(ctx context.Context, c *client.Client, f client.EventFilter, after int64) iter.Seq2[process.Event, error] {
	return func(yield func(process.Event, error) bool) {
		cursor := fmt.Sprint(after)
		for {
			page, err := c.AllEventsPage(ctx, f, cursor)
			if err != nil {
				yield(process.Event{}, err)
				return
			}
			for _, ev := range page.Events {
				if !yield(ev, nil) {
					return
				}
			}
			if page.Next == cursor || len(page.Events) == 0 {
				return
			}
			cursor = page.Next
		}
	}
}

func (a *App) printEvent(ev *process.Event, all bool, p palette) error {
	if a.global.json {
		return a.printJSON(ev)
	}
	_, err := fmt.Fprintln(a.Stdout, eventLine(ev, all, p))
	return err
}
