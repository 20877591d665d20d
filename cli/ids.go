package cli

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
	"github.com/spf13/cobra"
)

// find returns the process that an argument names: by its id, or by its ref.
func find(ctx context.Context, c *client.Client, arg string) (process.ID, error) {
	if id, err := process.ParseID(arg); err == nil {
		return id, nil
	}
	if strings.TrimSpace(arg) == "" { // as a filter it would select every process
		return 0, usagef("an empty argument names no process")
	}
	page, err := c.Processes(ctx, process.Query{Ref: arg, Limit: 1})
	if err != nil {
		return 0, err
	}
	if len(page.Processes) == 0 {
		return 0, process.Errorf(process.CodeNotFound, "no process has the id or ref %q: see 'reeve ps -a'", arg)
	}
	return page.Processes[0].ID, nil
}

// findAll is find for several arguments; the same process counts once.
func findAll(ctx context.Context, c *client.Client, args []string) ([]process.ID, error) {
	var ids []process.ID
	for _, arg := range args {
		id, err := find(ctx, c, arg)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// usageArgs makes a wrong number of arguments a usage error.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usageError{err}
		}
		return nil
	}
}

// needIDs asks for at least one process.
func needIDs(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("which process? Give its id or ref; 'reeve ps' lists them")
	}
	return nil
}

// needOneID asks for exactly one process.
func needOneID(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usagef("one process at a time: %d were given", len(args))
	}
	return needIDs(cmd, args)
}

// completionTime bounds what a shell waits for a suggestion.
const completionTime = 2 * time.Second

// completeIDs suggests processes, the selected states first; no state is all.
func (a *App) completeIDs(states ...process.State) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(context.Background(), completionTime)
		defer cancel()
		c, err := a.connect(ctx, connectOptions{})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer c.Close()
		if len(states) == 0 {
			states = []process.State{""}
		}
		var words []cobra.Completion
		for _, state := range states {
			page, err := c.Processes(ctx, process.Query{State: state})
			if err != nil {
				break
			}
			for i := range page.Processes {
				words = append(words, completion(&page.Processes[i])...)
			}
		}
		return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// completion suggests a process by its id and its ref.
func completion(r *process.Record) []cobra.Completion {
	about := stateWord(r) + " " + fit(title(r), 50)
	words := []cobra.Completion{cobra.CompletionWithDesc(r.ID.String(), about)}
	if r.Ref != nil {
		words = append(words, cobra.CompletionWithDesc(*r.Ref, about))
	}
	return words
}

// completeWords suggests the values of a flag.
func completeWords(cmd *cobra.Command, flag string, words ...cobra.Completion) {
	// The only error is a flag that does not exist, which the tests would see.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// noFiles suggests nothing.
func noFiles(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// printJSON prints one object on a line of its own.
func (a *App) printJSON(v any) error {
	enc := json.NewEncoder(a.Stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

func (a *App) printRecords(records []process.Record) error {
	for i := range records {
		if err := a.printJSON(&records[i]); err != nil {
			return err
		}
	}
	return nil
}
