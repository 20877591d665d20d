package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
)

// createTree starts a tree. One that runs already is not started twice, where its
// ref tells that; where there is none, the user is told of one of the same name.
func (a *App) createTree(ctx context.Context, c *client.Client, tree *api.Supervisor, key string) (process.Record, error) {
	if tree.Ref == nil && tree.Name != "" {
		a.noticeNamesake(ctx, c, tree.Name)
	}
	s, err := c.CreateSupervisor(ctx, *tree, client.CreateOptions{IdempotencyKey: key})
	if errors.Is(err, process.ErrRefConflict) && tree.Ref != nil {
		err = alreadyUp(ctx, c, *tree.Ref, err)
	}
	return s.Process, err
}

// alreadyUp says of a tree whose ref is taken what there is of it and what to do.
func alreadyUp(ctx context.Context, c *client.Client, ref string, conflict error) error {
	page, err := c.Processes(ctx, process.Query{Ref: ref, Limit: 1})
	if err != nil || len(page.Processes) == 0 { // it is the ref of a child, or just gone
		return conflict
	}
	p := page.Processes[0]
	what, hint := "runs already, as process", "'reeve tree %[1]d' shows it, 'reeve kill %[1]d' ends it"
	if p.State == process.Idle {
		what, hint = "has ended, and was process", "'reeve rerun %[1]d' runs it again as it was, 'reeve rm %[1]d' makes room for the file as it is now"
	}
	return &process.Error{Code: process.CodeRefConflict, Message: fmt.Sprintf("%s %s %d", ref, what, p.ID), Hint: fmt.Sprintf(hint, p.ID)}
}

// noticeNamesake tells the user of a tree of the same name that runs: it may be
// the same one, from before.
func (a *App) noticeNamesake(ctx context.Context, c *client.Client, name string) {
	page, err := c.Processes(ctx, process.Query{Environment: process.EnvSupervisor, State: process.Running, Limit: process.MaxLimit})
	if err != nil {
		return // the create says what is wrong
	}
	for _, p := range page.Processes {
		if p.Parent == nil && p.Label != nil && *p.Label == name {
			a.say("%s is named %s, too, and runs: a ref in the file would allow only one of them", p.ID, name)
			return
		}
	}
}
