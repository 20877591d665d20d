package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/server"
	"github.com/reeverun/reeve/settings"
	"github.com/reeverun/reeve/telemetry"
	"github.com/reeverun/reeve/token"
	"github.com/reeverun/reeve/tool"
)

// daemon is one run of it.
type daemon struct {
	settings settings.Settings
	data     settings.DataDir
	wiring   Wiring
	log      *slog.Logger
	limits   limits

	telemetry *telemetry.T
	tools     *tool.Registry
	runtime   *reeve.Runtime
	server    *server.Server
	tcp       net.Listener // nil: none
	socket    *socket
	services  []*service
}

// Run serves until ctx is over or a signal comes, and has ended everything when
// it returns. ready is called once requests are answered, with the TCP address,
// or unix:// and the socket's path if there is none.
func Run(ctx context.Context, s settings.Settings, w Wiring, ready func(addr string)) error {
	return run(ctx, s, w, defaultLimits(), ready)
}

// Server is Run with a Wiring, for the command line.
func Server(w Wiring) func(ctx context.Context, s Settings, ready func(addr string)) error {
	return func(ctx context.Context, s Settings, ready func(addr string)) error { return Run(ctx, s, w, ready) }
}

func run(ctx context.Context, s settings.Settings, w Wiring, l limits, ready func(addr string)) error {
	if w.Log == nil {
		w.Log = os.Stderr
	}
	if w.Signals == nil {
		w.Signals = stopSignals
	}
	manager := newNotifier()
	stopping := awaitStop(ctx, w.Signals)
	defer stopping.release()
	d := &daemon{settings: s, data: settings.DataDir(s.Data), wiring: w, log: newLogger(s, w.Log), limits: l}
	if err := d.open(stopping.ctx); err != nil {
		err = errors.Join(err, d.release())
		if stopping.ctx.Err() != nil && errors.Is(err, context.Canceled) {
			return nil // asked to stop before it had begun
		}
		return err
	}
	failed := d.serve()
	d.announce()
	if ready != nil {
		ready(d.address())
	}
	manager.tell("READY=1")
	var failure error
	select {
	case <-stopping.ctx.Done():
		d.log.Info("stopping", "cause", context.Cause(stopping.ctx).Error())
	case failure = <-failed:
		d.log.Error("stopping", "cause", failure.Error())
	}
	manager.tell("STOPPING=1")
	return errors.Join(failure, d.stop(stopping.hurry))
}

// open acquires everything, in the order of the package comment.
func (d *daemon) open(ctx context.Context) (err error) {
	tokens := token.Open(d.data.Tokens())
	if d.tcp, err = d.listen(tokens); err != nil {
		return err
	}
	if d.telemetry, err = newTelemetry(d.settings, d.wiring.Version, d.log); err != nil {
		return fmt.Errorf("start telemetry: %w", err)
	}
	if err := d.readTools(); err != nil {
		return err
	}
	config, err := d.config()
	if err != nil {
		return err
	}
	if d.runtime, err = reeve.Open(ctx, config); err != nil {
		return err
	}
	d.tools.Start(ctx)
	d.telemetry.CountStates(d.countStates)
	version := d.wiring.Version
	version.PID, version.DataDir = os.Getpid(), d.settings.Data
	d.server, err = server.New(server.Config{
		Runtime: d.runtime, Environment: d.settings.Environment, DataDir: d.settings.Data,
		MaxBody: d.settings.MaxBody, MaxRequests: d.settings.MaxRequests, AllowHosts: d.settings.AllowHosts,
		Tokens: tokens, Tools: d.tools, Logger: d.log, Version: version,
		Metrics: d.telemetry.Handler(), Wrap: d.telemetry.Middleware,
	})
	if err != nil {
		return err
	}
	if d.socket, err = openSocket(ctx, d.data); err != nil {
		return fmt.Errorf("open socket: %w", err)
	}
	if d.tcp != nil {
		return writeFile(d.data.AddressFile(), d.tcp.Addr().String())
	}
	return removeFile(d.data.AddressFile())
}

// release gives up what a failed open had acquired.
func (d *daemon) release() (err error) {
	if d.runtime != nil {
		err = d.runtime.Close()
	}
	err = errors.Join(err, d.closeTools())
	if d.tcp != nil {
		err = errors.Join(err, d.tcp.Close())
	}
	return errors.Join(err, d.leave())
}

// leave takes back what shows that a daemon runs, last of all.
func (d *daemon) leave() (err error) {
	if d.socket != nil {
		if d.tcp != nil {
			err = removeFile(d.data.AddressFile())
		}
		err = errors.Join(err, d.socket.close())
	}
	if d.telemetry != nil {
		ctx, cancel := context.WithTimeout(context.Background(), d.limits.farewell)
		defer cancel()
		if lost := d.telemetry.Close(ctx); lost != nil {
			d.log.Warn("the last traces were not sent", "error", lost)
		}
	}
	return err
}

// address is where clients find the daemon.
func (d *daemon) address() string {
	if d.tcp != nil {
		return d.tcp.Addr().String()
	}
	return "unix://" + d.socket.path
}

// announce says what runs where.
func (d *daemon) announce() {
	attrs := []any{"pid", os.Getpid(), "version", d.wiring.Version.Version, "socket", d.socket.path,
		"data", d.settings.Data, "tree-control", d.runtime.TreeKill()}
	if d.tcp != nil {
		attrs = append([]any{"listen", d.tcp.Addr().String()}, attrs...)
	}
	if d.settings.Config != "" {
		attrs = append(attrs, "config", d.settings.Config)
	}
	if d.settings.Tools != "" {
		attrs = append(attrs, "tools", d.settings.Tools)
	}
	d.log.Info("serving", attrs...)
}

// limits are the daemon's waits; tests shorten them.
type limits struct {
	header   time.Duration // to send a request's header
	idle     time.Duration // between two requests of a connection
	body     time.Duration // to send a body, plus what its size needs at bodyRate
	bodyRate int64         // bytes a second
	quiet    time.Duration // without a request, before it closes
	linger   time.Duration // for requests to end, once the runtime has closed
	farewell time.Duration // to send the last traces
	giveUp   time.Duration // for what was killed to be gone
}

func defaultLimits() limits {
	return limits{header: 10 * time.Second, idle: 2 * time.Minute, body: 30 * time.Second, bodyRate: 64 << 10,
		quiet: 100 * time.Millisecond, linger: 5 * time.Second, farewell: 3 * time.Second, giveUp: 30 * time.Second}
}
