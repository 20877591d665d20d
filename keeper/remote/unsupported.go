//go:build !linux

package remote

import (
	"context"
	"errors"

	"github.com/reeverun/reeve/keeper"
)

// Serve is not supported here.
func Serve(context.Context, Config) error { return errors.ErrUnsupported }

// Client is never had here.
type Client struct{ keeper.Spawner }

// Connect is not supported here.
func Connect(context.Context, Config) (*Client, error) { return nil, errors.ErrUnsupported }

// Keeper is none.
func (c *Client) Keeper() (pid int, build string) { return 0, "" }

// Jobs is nothing.
func (c *Client) Jobs() []Info { return nil }

// Adopt is not supported here.
func (c *Client) Adopt(string) (keeper.Job, error) { return nil, errors.ErrUnsupported }

// End is not supported here.
func (c *Client) End(context.Context, string) error { return errors.ErrUnsupported }

// Forget does nothing.
func (c *Client) Forget(string) {}

// Shutdown is not supported here.
func (c *Client) Shutdown(context.Context) error { return errors.ErrUnsupported }
