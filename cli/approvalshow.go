package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/spf13/cobra"
)

func (a *App) approvalShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "show ID",
		Short:             "Show a tool call that a person decides",
		Long:              "Show a tool call that a person decides: who asks, what would be called with what, how long\nthere is time, and how it was decided.",
		Example:           "  reeve approvals show 3\n  reeve approvals show 3 --json | jq .params",
		Args:              usageArgs(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completeApprovals(""),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := process.ParseApprovalID(args[0])
			if err != nil {
				return usageError{err}
			}
			c, err := a.connect(cmd.Context(), connectOptions{})
			if err != nil {
				return err
			}
			defer c.Close()
			v, err := c.Approval(cmd.Context(), id)
			if err != nil {
				return err
			}
			if a.global.json {
				return a.printJSON(&v)
			}
			_, err = io.WriteString(a.Stdout, approvalText(&v, time.Now(), a.palette(a.Stdout)))
			return err
		},
	}
}

// approvalText is what approvals show prints.
func approvalText(v *process.Approval, now time.Time, p palette) string {
	d := &details{p: p}
	when := func(name string, t time.Time, about string) {
		d.add(name, t.Local().Format("2006-01-02 15:04:05")+p.dim("  "+about))
	}
	d.add("approval", p.bold(v.ID.String())+"  "+p.approvalColor(v.State)(plain(string(v.State))))
	d.add("tool", plain(v.Service+"/"+v.Tool))
	d.add("process", fmt.Sprintf("%s, run %d", v.Process, v.Run))
	when("asked", v.RequestedAt, agoText(now.Sub(v.RequestedAt)))
	if v.State == process.ApprovalPending {
		when("expires", v.ExpiresAt, "in "+shortDuration(v.ExpiresAt.Sub(now)))
	}
	if v.DecidedAt != nil {
		when("decided", *v.DecidedAt, agoText(now.Sub(*v.DecidedAt)))
	}
	d.add("by", value(v.DecidedBy))
	d.add("reason", value(v.Reason))
	d.b.WriteString(p.dim("parameters") + "\n" + indented(v.Params))
	return d.b.String()
}

// indented is JSON laid out for people, every token as it was: a number is not
// rounded, and a key that comes twice is seen twice.
func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		b.Reset()
		b.Write(raw)
	}
	var text strings.Builder
	for line := range strings.Lines(b.String()) {
		text.WriteString("  " + plain(strings.TrimRight(line, "\r\n")) + "\n")
	}
	return text.String()
}
