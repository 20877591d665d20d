package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/spf13/cobra"
)

// lastLines is how many lines of each stream show ends with.
const lastLines = 10

func (a *App) showCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "show ID",
		Short:             "Show everything about a process",
		Long:              "Show the record of a process: what it runs, how it ended and why, what was noticed\nin its output, and the last lines of it. With --json it is the record itself.",
		Example:           "  reeve show 12\n  reeve show nightly --json | jq .exit",
		Args:              needOneID,
		ValidArgsFunction: a.completeIDs(),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			c, err := a.connect(ctx, connectOptions{})
			if err != nil {
				return err
			}
			defer c.Close()
			id, err := find(ctx, c, args[0])
			if err != nil {
				return err
			}
			rec, err := c.Process(ctx, id)
			if err != nil {
				return err
			}
			if a.global.json {
				return a.printJSON(&rec)
			}
			var asked []process.Approval
			if rec.State != process.Idle {
				if asked, _, err = takeApprovals(ctx, c, process.ApprovalQuery{State: process.ApprovalPending, Process: id}, 0); err != nil {
					return err
				}
			}
			told, err := lastNotification(ctx, c, &rec)
			if err != nil {
				return err
			}
			_, err = io.WriteString(a.Stdout, showText(&rec, asked, told, time.Now(), a.palette(a.Stdout)))
			return err
		},
	}
}

// details is a list of names and values.
type details struct {
	b strings.Builder
	p palette
}

// add leaves out what has no value.
func (d *details) add(name, value string) {
	if value != "" {
		fmt.Fprintf(&d.b, "%s %s\n", d.p.dim(fmt.Sprintf("%-12s", name)), value)
	}
}

// showText is what show prints: the record, the approvals that are waited for and
// the newest notification, if there is one.
func showText(r *process.Record, asked []process.Approval, told *process.NotificationRecord, now time.Time, p palette) string {
	d := &details{p: p}
	d.add("process", p.bold(r.ID.String())+"  "+p.stateColor(r)(stateWord(r)))
	d.add("label", value(r.Label))
	d.add("ref", value(r.Ref))
	d.add("tags", plain(strings.Join(r.Tags, ", ")))
	if r.Parent != nil {
		d.add("parent", r.Parent.String())
	}
	d.add("environment", plain(r.Environment))
	d.add("command", commandLine(r))
	d.add("model", plain(r.Options.Model))
	if r.Command != nil {
		d.add("directory", value(r.Command.Dir))
	}
	d.addTimes(r, now)
	for _, v := range asked {
		d.add("waiting for", p.yellow("approval "+v.ID.String())+" "+plain(v.Service+"/"+v.Tool)+p.dim("  reeve approvals show "+v.ID.String()))
	}
	d.addEnd(r)
	d.add("notify", notifyText(r, told, now))
	d.addOutput(r)
	return d.b.String()
}

func (d *details) addTimes(r *process.Record, now time.Time) {
	when := func(name string, t *process.Stamp) {
		if t != nil {
			d.add(name, t.Local().Format("2006-01-02 15:04:05")+d.p.dim("  "+agoText(now.Sub(t.Time))))
		}
	}
	when("created", &r.CreatedAt)
	when("started", r.StartedAt)
	when("completed", r.CompletedAt)
	if r.Run > 0 {
		d.add("run", fmt.Sprint(r.Run))
	}
	if r.Options.Timeout > 0 {
		d.add("timeout", r.Options.Timeout.String())
	}
	d.add("budget", budgetText(r.Options.Budget))
	d.add("limits", limitText(r.Options.Limits))
	d.add("sandbox", plain(string(r.Options.Sandbox)))
	d.add("requires", plain(strings.Join(r.Options.Require, ", ")))
	if u := usageText(r); u != "" {
		d.add("used", u)
	}
	if r.State == process.Running && r.Progress.Kind != "" {
		d.add("progress", progressText(r.Progress))
	}
	if r.Phase != nil {
		d.add("phase", phaseText(*r.Phase))
	}
}

func usageText(r *process.Record) string {
	var words []string
	if e := elapsed(r); e != "" {
		words = append(words, e)
	}
	if r.Usage.PausedMS > 0 {
		words = append(words, shortDuration(time.Duration(r.Usage.PausedMS)*time.Millisecond)+" paused")
	}
	if r.Usage.CPUMS > 0 {
		words = append(words, shortDuration(time.Duration(r.Usage.CPUMS)*time.Millisecond)+" of CPU")
	}
	if r.Usage.MaxRSSBytes > 0 {
		words = append(words, byteCount(r.Usage.MaxRSSBytes)+" of memory")
	}
	if r.Usage.Tokens > 0 {
		words = append(words, fmt.Sprintf("%d tokens", r.Usage.Tokens))
	}
	return strings.Join(words, ", ")
}

// addEnd tells the verdict and its evidence.
func (d *details) addEnd(r *process.Record) {
	if r.Exit != nil {
		exit := fmt.Sprintf("%d  %s", r.Exit.Code, plain(r.Exit.Reason))
		if r.Exit.Signal != "" {
			exit += " (" + plain(r.Exit.Signal) + ")"
		}
		d.add("exit", exit)
	}
	d.add("error", value(r.Error))
	if e := r.Enforced; e != nil {
		d.add("held by", plain(strings.Join(append([]string{e.TreeKill}, e.Confined...), ", ")))
		d.add("missing", plain(strings.Join(e.Missing, "; ")))
	}
	if r.Outcome == nil {
		return
	}
	d.add("outcome", outcomeText(&process.Outcome{Kind: r.Outcome.Kind, Reason: r.Outcome.Reason}))
	d.add("summary", plain(r.Outcome.Summary))
	for _, f := range r.Outcome.Findings {
		d.add(string(f.Severity), plain(f.Code+": "+f.Message))
		if f.Action != nil {
			d.add("", plain(fmt.Sprintf("  → %s", f.Action.Value)))
		}
	}
	for _, s := range r.Outcome.Survivors {
		d.add("survivor", fmt.Sprintf("%d %s", s.PID, plain(s.Command)))
	}
}

// addOutput shows the end of what was written.
func (d *details) addOutput(r *process.Record) {
	if r.Output != nil && len(*r.Output) > 0 {
		d.add("output", oneLine(*r.Output))
	}
	d.addStream("stdout", r.Stdout, r.StdoutBytes)
	d.addStream("stderr", r.Stderr, r.StderrBytes)
}

func (d *details) addStream(name string, text *string, size int64) {
	if size == 0 {
		return
	}
	d.add(name, byteCount(size))
	if text == nil || *text == "" {
		return
	}
	lines := strings.Split(strings.TrimSuffix(*text, "\n"), "\n")
	for _, line := range lines[max(0, len(lines)-lastLines):] {
		d.b.WriteString("  " + plain(strings.TrimSuffix(line, "\r")) + "\n")
	}
}
