package cli

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/settings"
)

// connectOptions says how a command wants its daemon.
type connectOptions struct {
	start     bool // start one in the background if none runs
	impatient bool // a stream that breaks is an error at once
}

// dialTime is enough for a socket of this machine.
const dialTime = 5 * time.Second

// settleTime is how long an owner of the data directory that does not answer
// yet, or any more, is waited for: a daemon that starts or stops.
const settleTime = 15 * time.Second

// connect makes a client of the daemon: the one named by --host or REEVE_HOST,
// else the one of the data directory, which is started if there is none and the
// command wants it.
func (a *App) connect(ctx context.Context, o connectOptions) (*client.Client, error) {
	secret, host := a.flagOrEnv(a.global.token, "REEVE_TOKEN"), a.flagOrEnv(a.global.host, "REEVE_HOST")
	cfg := client.Config{Host: host, Token: secret, OnRetry: a.tellOnce()}
	if o.impatient {
		cfg.Patience = -1
	}
	if host != "" {
		return client.New(cfg)
	}
	data, err := a.dataDir()
	if err != nil {
		return nil, err
	}
	path, err := data.FindSocket()
	if err != nil {
		return nil, err
	}
	if o.start && !answers(path) {
		if path, err = a.autostart(ctx, data); err != nil {
			return nil, err
		}
	}
	cfg.Host = "unix://" + path
	return client.New(cfg)
}

func (a *App) flagOrEnv(flag, name string) string {
	if flag == "" {
		flag, _ = a.Env(name)
	}
	return flag
}

func (a *App) dataDir() (settings.DataDir, error) {
	dir, err := a.Dir()
	if err != nil {
		return "", err
	}
	return settings.ClientData(a.global.data, a.Env, dir)
}

// answers reports whether a daemon listens: a socket without one refuses.
func answers(path string) bool {
	c, err := net.DialTimeout("unix", path, dialTime)
	if err != nil {
		return false
	}
	c.Close()
	return true
}

// autostart starts a daemon, unless another client has just done so, and
// returns its socket. Of any number of clients one starts it: the others wait
// for the start lock and find it running.
func (a *App) autostart(ctx context.Context, data settings.DataDir) (string, error) {
	if err := data.Make(); err != nil {
		return "", err
	}
	lock, err := settings.TakeLock(ctx, data.StartLock())
	if err != nil {
		return "", err
	}
	defer func() { _ = lock.Release() }()
	for giveUp := time.Now().Add(settleTime); ; {
		path, err := data.FindSocket()
		if err != nil || answers(path) {
			return path, err
		}
		news, err := a.startDaemon(ctx, data, []string{"--listen=none", "--data=" + string(data)}, false)
		switch {
		case err == nil:
			a.say("started a daemon in the background (pid %d, data %s)", news.PID, data)
		case errors.Is(err, process.ErrOwned) && time.Now().Before(giveUp):
			if err := pause(ctx, 50*time.Millisecond); err != nil {
				return "", err
			}
		default:
			return "", err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// tellOnce says that the daemon is gone, for all streams of a command at once.
func (a *App) tellOnce() func(error) {
	var once sync.Once
	return func(error) {
		once.Do(func() { a.say("the daemon does not answer: trying again for a while") })
	}
}
