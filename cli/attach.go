package cli

import (
	"bytes"
	"context"
	"os"
	"syscall"

	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
	"github.com/spf13/cobra"
)

// recent is how much of what was written before is shown at first: about a
// screen.
const recent = 8 << 10

// attachOptions are the flags of attach.
type attachOptions struct {
	noStdin bool
	keys    string
	tail    int // lines; negative: about a screen
}

func (a *App) attachCommand() *cobra.Command {
	var o attachOptions
	cmd := &cobra.Command{
		Use:   "attach ID",
		Short: "Sit down at a running process",
		Long: "Connect this terminal with a process that has one of its own (run --pty): what it\n" +
			"shows appears here, and every key goes there, Ctrl-C and Ctrl-Z too. Ctrl-] leaves\n" +
			"it running. Its terminal takes the size of this one.\n\n" +
			"A process with an open standard input (run --interactive) gets what is typed line by\n" +
			"line, or what is piped in; Ctrl-D or the end of the pipe ends its input. Any other is\n" +
			"shown only. Ctrl-C leaves those.\n\n" +
			"Any number of terminals may be attached at a time: all show the same, all may type.\n" +
			"When the process ends, so does this command, with its exit code. If the daemon goes\n" +
			"away the process goes on, and is found again when there is a daemon.",
		Example: "  reeve run --pty --detach --ref shell -- bash\n  reeve attach shell\n" +
			"  reeve attach 12 --no-stdin\n  reeve attach 12 --detach-keys ctrl-p,ctrl-q\n" +
			"  echo status | reeve attach console",
		Args:              needOneID,
		ValidArgsFunction: a.completeIDs(process.Running),
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.global.json {
				return usagef("attach shows bytes, not JSON: 'reeve events -f %s --json' has the lines", args[0])
			}
			if o.tail < 0 && cmd.Flags().Changed("tail") {
				return usagef("--tail %d: want 0 or more", o.tail)
			}
			return a.attach(cmd.Context(), args[0], o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.noStdin, "no-stdin", false, "look on only: type nothing, change no size")
	f.StringVar(&o.keys, "detach-keys", defaultDetachKeys, "`keys` that leave it running, separated by commas; none: no keys")
	f.IntVarP(&o.tail, "tail", "n", -1, "show this `number` of its last lines at first (default: about a screen)")
	f.Lookup("tail").DefValue = "0"
	return cmd
}

func (a *App) attach(ctx context.Context, arg string, o attachOptions) error {
	leave, err := parseDetachKeys(o.keys)
	if err != nil {
		return err
	}
	c, err := a.connect(ctx, connectOptions{})
	if err != nil {
		return err
	}
	defer c.Close()
	id, err := find(ctx, c, arg)
	if err != nil {
		return err
	}
	rec, err := c.Process(ctx, id)
	if err != nil {
		return err
	}
	if rec.State == process.Idle {
		return process.Errorf(process.CodeNotRunning, "%s is not running: 'reeve logs %s' prints what it wrote, 'reeve rerun %s' runs it again", id, id, id)
	}
	t := &attachment{command: rec.Command, leave: leave, deaf: o.noStdin, redraw: true, queued: rec.State == process.Queued,
		job: &job{app: a, client: c, id: id, run: max(rec.Run, 1), screen: a.newScreen(false), visiting: true}}
	t.from = func(ctx context.Context, s process.Stream) (int64, error) { return t.start(ctx, s, &rec, o.tail) }
	t.job.show = t.show
	t.introduce()
	return t.visit(ctx)
}

// introduce says what is possible here.
func (t *attachment) introduce() {
	switch {
	case t.deaf:
	case !t.takesInput():
		t.app.say("%s takes no input: this shows what it writes. Ctrl-C leaves it running", t.id)
	case t.onTerminal() && len(t.leave.sequence) > 0:
		t.app.say("attached to %s: %s leaves it running", t.id, t.leave.name)
	}
}

// start is where to begin to show a stream: at its last lines, or so that about
// a screen is seen, at the beginning of a line or of a drawing.
func (t *attachment) start(ctx context.Context, s process.Stream, rec *process.Record, lines int) (int64, error) {
	l := runLog{client.Log{Process: t.id, Run: t.run, Stream: s}, rec.StdoutBytes}
	if s == process.Stderr {
		l.size = rec.StderrBytes
	}
	if lines >= 0 {
		return l.tailStart(ctx, t.client, false, lines)
	}
	from := l.size - recent
	if from <= 0 {
		return 0, nil
	}
	b, err := l.read(ctx, t.client, false, from, l.size)
	if err != nil {
		return 0, err
	}
	switch line, drawing := bytes.IndexByte(b, '\n'), bytes.IndexByte(b, '\x1b'); {
	case line >= 0 && (drawing < 0 || line < drawing):
		from += int64(line) + 1
	case drawing >= 0:
		from += int64(drawing)
	}
	return from, nil
}

// visit stays with a run that others started, until it ends or is left.
func (j *job) visit(ctx context.Context) error {
	signals, stopSignals := j.app.Signals()
	defer stopSignals()
	rec, err := j.stay(ctx, signals)
	if err != nil {
		return j.left(err)
	}
	return j.report(rec)
}

// leaveOn leaves a run that is visited when this command is interrupted.
func (j *job) leaveOn(ctx context.Context, leave context.CancelCauseFunc, signals <-chan os.Signal) {
	select {
	case <-ctx.Done():
	case sig := <-signals:
		code := process.ExitCodeCanceled
		if s, ok := sig.(syscall.Signal); ok {
			code = 128 + int(s)
		}
		leave(exitError{code})
	}
}
