package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/remote"
)

// keeperFor bounds how long a keeper may take to come up, or to end.
const keeperFor = 20 * time.Second

// kept is the keeper, which is left to the next daemon, or ended.
type kept struct {
	*remote.Client
	daemon *daemon
}

// openKeeper finds or starts the process that holds commands, once the data
// directory is this daemon's: the keeper of another must not be taken from it.
// Where there is no such thing, commands are this process's own, and end with it.
func (d *daemon) openKeeper(ctx context.Context) (keeper.Lasting, error) {
	ctx, cancel := context.WithTimeout(ctx, keeperFor)
	defer cancel()
	c, err := remote.Connect(ctx, remote.Config{Dir: d.data.Keeper(), Build: d.wiring.Version.Version})
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		d.log.Warn("commands end with the daemon: there is no keeper on this system")
		return nil, nil
	case errors.Is(err, remote.ErrVersion):
		return nil, fmt.Errorf("%w: its commands go on; start the version of reeve that belongs to it, or end them there first (reeve serve --stop-jobs, and stop it)", err)
	case err != nil:
		return nil, fmt.Errorf("start the keeper of commands: %w", err)
	}
	pid, build := c.Keeper()
	d.log.Debug("keeper of commands", "pid", pid, "build", build)
	d.kept.Store(true)
	return &kept{c, d}, nil
}

// Close leaves the keeper to the next daemon, or ends it.
func (k *kept) Close() (err error) {
	if k.daemon.settings.StopJobs && !k.daemon.followed.Load() {
		ctx, cancel := context.WithTimeout(context.Background(), keeperFor)
		defer cancel()
		err = k.Shutdown(ctx)
	}
	return errors.Join(err, k.Client.Close())
}
