package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/reeverun/reeve/process"
	"github.com/spf13/cobra"
)

func (a *App) transcriptCommand() *cobra.Command {
	var run int
	cmd := &cobra.Command{
		Use:   "transcript ID",
		Short: "Print what an agent and its model said",
		Long: "Print the messages of an agent in their order, those of all its runs or of --run N:\n" +
			"who spoke, which tools were called with what, and what each answer took. It can be\n" +
			"read while the agent works. With --json each message is a line.",
		Example:           "  reeve transcript 12\n  reeve transcript review --run 2\n  reeve transcript 12 --json | jq -r .text",
		Args:              needOneID,
		ValidArgsFunction: a.completeIDs(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if run < 0 || cmd.Flags().Changed("run") && run == 0 {
				return usagef("--run %d: runs are numbered from 1", run)
			}
			return a.transcript(cmd.Context(), args[0], run)
		},
	}
	cmd.Flags().IntVar(&run, "run", 0, "`run` to show (default: all)")
	return cmd
}

func (a *App) transcript(ctx context.Context, arg string, run int) error {
	c, err := a.connect(ctx, connectOptions{})
	if err != nil {
		return err
	}
	defer c.Close()
	id, err := find(ctx, c, arg)
	if err != nil {
		return err
	}
	p := a.palette(a.Stdout)
	shown := run == 0
	for m, err := range c.Transcript(ctx, id) {
		if err != nil {
			return err
		}
		if run != 0 && m.Run != run {
			continue
		}
		shown = true
		if a.global.json {
			err = a.printJSON(&m)
		} else {
			_, err = io.WriteString(a.Stdout, messageText(&m, p))
		}
		if err != nil {
			return err
		}
	}
	if shown {
		return nil
	}
	rec, err := c.Process(ctx, id)
	if err == nil && run > rec.Run {
		err = fmt.Errorf("process %d has no run %d", id, run)
	}
	return err
}

// messageText tells a message for people: a line about it, what it says, and
// the calls it asks for.
func messageText(m *process.Message, p palette) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", roleColor(m, p)(speaker(m)), p.dim(strings.Join(about(m), ", ")))
	if text := strings.TrimRight(m.Text, "\r\n"); text != "" {
		for line := range strings.SplitSeq(text, "\n") {
			b.WriteString("  " + plain(strings.TrimSuffix(line, "\r")) + "\n")
		}
	}
	for _, c := range m.Calls {
		call := "  " + p.cyan(plain("call "+c.Name)) + " " + plain(string(c.Arguments))
		b.WriteString(strings.TrimRight(call, " ") + "\n")
	}
	b.WriteByte('\n')
	return b.String()
}

func roleColor(m *process.Message, p palette) func(string) string {
	switch {
	case m.Failed:
		return p.yellow
	case m.Role == process.RoleAssistant:
		return p.green
	case m.Role == process.RoleUser:
		return p.bold
	}
	return p.blue
}

// speaker says whose words they are.
func speaker(m *process.Message) string {
	switch {
	case m.Name == "":
		return plain(string(m.Role))
	case m.Failed:
		return plain(string(m.Role) + " " + m.Name + " failed")
	}
	return plain(string(m.Role) + " " + m.Name)
}

// about is what is known of a message besides its words.
func about(m *process.Message) []string {
	words := []string{fmt.Sprintf("#%d", m.Number)}
	if m.Run > 1 {
		words = append(words, fmt.Sprintf("run %d", m.Run))
	}
	if m.Step > 0 {
		words = append(words, fmt.Sprintf("step %d", m.Step))
	}
	words = append(words, m.At.Local().Format("2006-01-02 15:04:05"))
	if m.Model != "" {
		words = append(words, plain(m.Model))
	}
	if t := m.Tokens; t != nil {
		words = append(words, tokensText(t.Input, t.Cached, t.Output))
	}
	if m.CostUSD != nil {
		words = append(words, dollars(*m.CostUSD))
	}
	if m.Replaces > 0 {
		words = append(words, fmt.Sprintf("instead of all up to #%d", m.Replaces))
	}
	return words
}
