package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
	"github.com/spf13/cobra"
)

// decide is Approve or Deny.
type decide func(*client.Client, context.Context, process.ApprovalID, api.Decision) (process.Approval, error)

func (a *App) decisionCommand(name, short string, do decide) *cobra.Command {
	var body api.Decision
	cmd := &cobra.Command{
		Use:   name + " ID...",
		Short: short,
		Long: short + ". Of several decisions about one the first counts.\n\n" +
			"It takes a token with the scope approve, by --token or REEVE_TOKEN, on the socket too:\n" +
			"'reeve token create --scope approve' makes one.",
		Example: "  reeve approvals " + name + " 3\n  reeve approvals " + name + " 3 4 --reason 'talked to Ada'",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("which one? Give its id; 'reeve approvals' lists them")
			}
			return nil
		},
		ValidArgsFunction: a.completeApprovals(process.ApprovalPending),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.decide(cmd.Context(), args, body, do) },
	}
	cmd.Flags().StringVar(&body.Reason, "reason", "", "`text`, why; it is kept, and a program that is denied reads it")
	return cmd
}

// decide decides them all, also if one of them cannot be.
func (a *App) decide(ctx context.Context, args []string, body api.Decision, do decide) error {
	ids := make([]process.ApprovalID, len(args))
	for i, arg := range args {
		id, err := process.ParseApprovalID(arg)
		if err != nil {
			return usageError{err}
		}
		ids[i] = id
	}
	c, err := a.connect(ctx, connectOptions{})
	if err != nil {
		return err
	}
	defer c.Close()
	var failed error
	for _, id := range ids {
		v, err := do(c, ctx, id, body)
		if err == nil {
			err = a.decided(&v)
		}
		if err != nil && len(ids) > 1 {
			err = fmt.Errorf("approval %s: %w", id, err)
		}
		failed = errors.Join(failed, err)
		if mayNot(err) { // nor the others
			break
		}
	}
	return failed
}

func (a *App) decided(v *process.Approval) error {
	if a.global.json {
		return a.printJSON(v)
	}
	_, err := fmt.Fprintf(a.Stdout, "%s %s: %s\n", v.State, v.ID, plain(v.Service+"/"+v.Tool))
	return err
}

// mayNot reports whether a daemon refused who asks, not what was asked.
func mayNot(err error) bool {
	var e *process.Error
	return errors.As(err, &e) && (e.Code == api.CodeUnauthorized || e.Code == api.CodeForbidden)
}

func (a *App) completeApprovals(state process.ApprovalState) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) (words []cobra.Completion, _ cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(context.Background(), completionTime)
		defer cancel()
		if c, err := a.connect(ctx, connectOptions{}); err == nil {
			defer c.Close()
			page, _ := c.Approvals(ctx, process.ApprovalQuery{State: state})
			for _, v := range page.Approvals {
				words = append(words, cobra.CompletionWithDesc(v.ID.String(), string(v.State)+" "+v.Service+"/"+v.Tool))
			}
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}
