package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
	"github.com/spf13/cobra"
)

func (a *App) toolsCommand() *cobra.Command {
	var service string
	cmd := &cobra.Command{
		Use:   "tools [QUERY]",
		Short: "Find the tools that programs can call",
		Long: "List the tools that programs can call, the best matches of a QUERY first. What the\n" +
			"daemon's policy says about each is shown, too: allow, deny, or ask, which means that a\n" +
			"person decides about each call ('reeve approvals').\n\n" +
			"Services come from the file that 'reeve serve --tools FILE' names.",
		Example:           "  reeve tools\n  reeve tools delete pet\n  reeve tools show pets/delete_pet\n  reeve tools services",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: noFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.tools(cmd.Context(), client.ToolQuery{Words: strings.Join(args, " "), Service: service})
		},
	}
	cmd.Flags().StringVar(&service, "service", "", "only those of this `service`")
	cmd.AddCommand(a.toolsShowCommand(), a.toolsServicesCommand())
	return cmd
}

func (a *App) tools(ctx context.Context, q client.ToolQuery) error {
	c, err := a.connect(ctx, connectOptions{})
	if err != nil {
		return err
	}
	defer c.Close()
	all, err := c.Tools(ctx, q)
	if err != nil {
		return err
	}
	if a.global.json {
		return printAll(a, all)
	}
	_, err = io.WriteString(a.Stdout, toolTable(all, width(a.Stdout), a.palette(a.Stdout)))
	return err
}

// printAll prints each item as JSON, on a line of its own.
func printAll[T any](a *App, all []T) error {
	for i := range all {
		if err := a.printJSON(&all[i]); err != nil {
			return err
		}
	}
	return nil
}

func toolTable(all []api.Tool, width int, p palette) string {
	if len(all) == 0 {
		return ""
	}
	t := &table{head: []string{"TOOL", "POLICY", "DESCRIPTION"}}
	for _, tool := range all {
		t.rows = append(t.rows, []cell{{text: plain(tool.Service + "/" + tool.Name)},
			{text: plain(string(tool.Permission)), paint: p.permissionColor(tool.Permission)}, {text: plain(firstLine(tool.Description))}})
	}
	return t.render(width, p)
}

func (p palette) permissionColor(v process.Permission) func(string) string {
	switch v {
	case process.Allow:
		return p.green
	case process.Ask:
		return p.yellow
	}
	return p.red
}

func (a *App) toolsShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "show SERVICE/TOOL",
		Short:             "Show a tool and how programs call it",
		Long:              "Show what a tool does, what the policy says about it, and its declaration in TypeScript.\nWith --json also the JSON Schemas of its parameters and result.",
		Example:           "  reeve tools show pets/delete_pet\n  reeve tools show pets/delete_pet --json | jq .params",
		Args:              usageArgs(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completeTools,
		RunE: func(cmd *cobra.Command, args []string) error {
			service, name, ok := strings.Cut(args[0], "/")
			if !ok || service == "" || name == "" {
				return usagef("%q is not a tool: write SERVICE/TOOL; 'reeve tools' lists them", args[0])
			}
			c, err := a.connect(cmd.Context(), connectOptions{})
			if err != nil {
				return err
			}
			defer c.Close()
			tool, err := c.Tool(cmd.Context(), service, name)
			if err != nil {
				return err
			}
			if a.global.json {
				return a.printJSON(&tool)
			}
			_, err = io.WriteString(a.Stdout, toolText(&tool, a.palette(a.Stdout)))
			return err
		},
	}
}

// toolText is what tools show prints.
func toolText(t *api.Tool, p palette) string {
	d := &details{p: p}
	d.add("tool", p.bold(plain(t.Service+"/"+t.Name)))
	d.add("policy", p.permissionColor(t.Permission)(permissionText(t.Permission)))
	for _, text := range []string{t.Description, t.Declaration} {
		if text = printable(text); text != "" {
			d.b.WriteString("\n" + text + "\n")
		}
	}
	return d.b.String()
}

func permissionText(v process.Permission) string {
	if v == process.Ask {
		return "ask: a person decides about each call"
	}
	return plain(string(v))
}

// printable is plain for a text of several lines.
func printable(s string) string {
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")), "\n")
	for i := range lines {
		indent := len(lines[i]) - len(strings.TrimLeft(lines[i], "\t"))
		lines[i] = strings.TrimRight(strings.Repeat("  ", indent)+plain(lines[i][indent:]), " ")
	}
	return strings.Join(lines, "\n")
}

func (a *App) toolsServicesCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "services",
		Short:             "List the services that tools belong to",
		Long:              "List the services that tools belong to: what performs their calls, whether they can be\nreached, and why not.",
		Example:           "  reeve tools services\n  reeve tools services --json",
		Args:              usageArgs(cobra.NoArgs),
		ValidArgsFunction: noFiles,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.connect(cmd.Context(), connectOptions{})
			if err != nil {
				return err
			}
			defer c.Close()
			all, err := c.Services(cmd.Context())
			if err != nil {
				return err
			}
			if a.global.json {
				return printAll(a, all)
			}
			_, err = io.WriteString(a.Stdout, serviceTable(all, width(a.Stdout), a.palette(a.Stdout)))
			return err
		},
	}
}

func serviceTable(all []api.Service, width int, p palette) string {
	t := &table{head: []string{"SERVICE", "ADAPTER", "STATE", "TOOLS", "ABOUT"}, right: []bool{false, false, false, true, false}}
	for _, s := range all {
		paint, about := p.green, firstLine(s.Description)
		if s.Error != nil {
			paint, about = p.red, *s.Error
		}
		t.rows = append(t.rows, []cell{{text: plain(s.Name)}, {text: plain(s.Adapter)},
			{text: plain(s.State), paint: paint}, {text: fmt.Sprint(s.Tools)}, {text: plain(about)}})
	}
	return t.render(width, p)
}

func (a *App) completeTools(*cobra.Command, []string, string) (words []cobra.Completion, _ cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(context.Background(), completionTime)
	defer cancel()
	if c, err := a.connect(ctx, connectOptions{}); err == nil {
		defer c.Close()
		all, _ := c.Tools(ctx, client.ToolQuery{})
		for _, t := range all {
			words = append(words, cobra.CompletionWithDesc(t.Service+"/"+t.Name, fit(plain(firstLine(t.Description)), 60)))
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}
