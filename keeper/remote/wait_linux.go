package remote

import (
	"context"
	"errors"

	"github.com/reeverun/reeve/keeper"
)

// Wait returns the leader's exit.
func (j *remoteJob) Wait(ctx context.Context) (keeper.Exit, error) {
	select {
	case <-j.exited:
		return j.exit()
	default:
	}
	select {
	case <-j.exited:
		return j.exit()
	case <-ctx.Done():
		return keeper.Exit{}, context.Cause(ctx)
	case <-j.bond.broken:
	}
	select {
	case <-j.exited: // at the last moment
		return j.exit()
	default:
	}
	local, err := j.held()
	if err != nil {
		return keeper.Exit{}, err
	}
	exit, err := local.Wait(ctx)
	return exit, j.client.explain(err)
}

func (j *remoteJob) exit() (keeper.Exit, error) {
	i := j.now()
	if i.Exit == nil {
		return keeper.Exit{}, keeper.ErrLost
	}
	return *i.Exit, nil
}

// WaitEmpty returns when the tree has ended.
func (j *remoteJob) WaitEmpty(ctx context.Context) error {
	select {
	case <-j.empty:
		return j.emptied()
	default:
	}
	select {
	case <-j.empty:
		return j.emptied()
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-j.bond.broken:
	}
	select {
	case <-j.empty:
		return j.emptied()
	default:
	}
	local, err := j.held()
	if err != nil {
		return err
	}
	return j.client.explain(local.WaitEmpty(ctx))
}

// explain tells a job that is lost from a client that is closed.
func (c *Client) explain(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if errors.Is(err, keeper.ErrLost) && c.err != nil {
		return c.err
	}
	return err
}

func (j *remoteJob) emptied() error {
	if j.now().Unsure {
		return keeper.ErrLost
	}
	return nil
}
