package cli

import (
	"context"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
	"github.com/spf13/cobra"
)

// jobFlags are common to the commands that create a process.
type jobFlags struct {
	label, ref, parent, interpreter, rawOutput string
	tags                                       []string
	timeout, grace                             time.Duration
	priority                                   int
	detach, noProgress                         bool
	budget                                     string
	heartbeat                                  time.Duration
	notifyFlags
}

func (o *jobFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.label, "label", "", "`title` for people")
	f.StringArrayVar(&o.tags, "tag", nil, "`tag` to find it by (may be repeated)")
	f.StringVar(&o.ref, "ref", "", "unique `name` to find it by")
	f.StringVar(&o.parent, "parent", "", "`process` to put it below, by id or ref")
	f.DurationVar(&o.timeout, "timeout", 0, "end it after this time (default: that of its environment)")
	f.DurationVar(&o.grace, "grace", 0, "time between SIGTERM and SIGKILL (default: the daemon's)")
	f.StringVar(&o.budget, "budget", "", "what it and all below it may use together: `list` of tokens=N, wall=DURATION, cpu=DURATION, children=N, depth=N, and ask to have a person asked for more")
	f.DurationVar(&o.heartbeat, "heartbeat", 0, "silence after which it is said to have stalled; 0: never (default: that of its environment)")
	o.notifyFlags.register(f)
	f.IntVar(&o.priority, "priority", 0, "higher ones overtake others in the queue")
	f.StringVar(&o.interpreter, "interpreter", "", "`name` of what reads the output: generic, none, go-test, cargo, … or a rule file's name")
	f.StringVar(&o.rawOutput, "raw-output", "", "`policy`, what is kept of the output: persist, persist-gzip, memory or disabled")
	f.BoolVarP(&o.detach, "detach", "d", false, "print the id and return")
	f.BoolVar(&o.noProgress, "no-progress", false, "draw no progress bar")
	completeWords(cmd, "raw-output", "persist", "persist-gzip", "memory", "disabled")
	completeWords(cmd, "interpreter", "generic", "none", "go-test", "cargo", "npm", "pip", "make", "docker-build", "pytest")
}

// check finds what is wrong with the flags before a daemon is asked, or started.
func (o *jobFlags) check(a *App, cmd *cobra.Command) error {
	if cmd.Flags().Changed("timeout") && o.timeout < time.Millisecond {
		return usagef("--timeout %s: want at least 1ms", o.timeout)
	}
	if o.grace < 0 {
		return usagef("--grace %s: want 0 or more", o.grace)
	}
	if o.heartbeat < 0 || o.heartbeat > 0 && o.heartbeat < time.Millisecond {
		return usagef("--heartbeat %s: want at least 1ms, or 0 for never", o.heartbeat)
	}
	if _, err := parseBudget(o.budget); cmd.Flags().Changed("budget") && err != nil {
		return usagef("--budget: %v", err)
	}
	return o.notifyFlags.read(a, cmd)
}

// create makes the body that the flags describe.
func (o *jobFlags) create(ctx context.Context, cmd *cobra.Command, c *client.Client) (api.Create, error) {
	body := api.Create{Label: o.label, Tags: o.tags, Interpreter: o.interpreter, Priority: o.priority, RawOutput: o.rawOutput, Notify: o.body}
	options, changed := &api.Options{}, cmd.Flags().Changed
	if changed("timeout") {
		options.Timeout = api.MS(o.timeout.Milliseconds())
	}
	if changed("grace") {
		options.Grace = api.MS(o.grace.Milliseconds())
	}
	if changed("heartbeat") {
		options.Heartbeat = api.MS(o.heartbeat.Milliseconds())
	}
	if changed("budget") {
		b, err := parseBudget(o.budget)
		if err != nil {
			return body, usagef("--budget: %v", err)
		}
		options.Budget = &b
	}
	if changed("timeout") || changed("grace") || changed("heartbeat") || changed("budget") {
		body.Options = options
	}
	if changed("ref") {
		body.Ref = &o.ref
	}
	if o.parent != "" {
		parent, err := find(ctx, c, o.parent)
		if err != nil {
			return body, err
		}
		body.Parent = int64(parent)
	}
	return body, nil
}

// start creates the process and attends to its first run, by an attachment if
// there is one.
func (a *App) start(ctx context.Context, c *client.Client, o *jobFlags, body api.Create, t *attachment) error {
	j := &job{app: a, client: c, detach: o.detach, bar: !o.noProgress && !a.global.json, asks: body.Environment != process.EnvCommand || body.Options != nil && body.Options.Budget != nil}
	if body.RawOutput == string(process.Disabled) && !o.detach && !a.global.json {
		// Its events are all there will be of its output: be there first.
		later := false
		body.Autorun, j.parked = &later, true
	}
	if t != nil {
		t.job, j.show = j, t.show
		j.bar = j.bar && !body.Command.PTY // it would be drawn into what the program draws
	}
	key := newKey()
	return j.attend(ctx, func(ctx context.Context) (process.Record, error) {
		rec, err := c.Create(ctx, body, client.CreateOptions{IdempotencyKey: key})
		if t != nil {
			t.command = rec.Command
		}
		return rec, err
	})
}
