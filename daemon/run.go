package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync/atomic"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/daemon/handover"
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

	tokens    *token.File
	telemetry *telemetry.T
	tools     *tool.Registry
	config    reeve.Config
	runtime   *reeve.Runtime
	server    *server.Server
	tcp       net.Listener // nil: none
	socket    *socket
	services  []*service

	kept     atomic.Bool // commands go on without it
	followed atomic.Bool // by a daemon that has its sockets

	before *handover.Peer // the daemon that this one replaces, until it serves; nil: none
	heirs  heirs          // those that are to replace it
}

func newDaemon(s settings.Settings, w Wiring, l limits, log *slog.Logger) *daemon {
	d := &daemon{settings: s, data: settings.DataDir(s.Data), wiring: w, log: log, limits: l}
	d.heirs.log, d.heirs.asked = log, make(chan *heir, 1)
	return d
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
	defer startTidying()()
	d := newDaemon(s, w, l, newLogger(s, w.Log))
	err := d.begin(stopping.ctx)
	if err != nil {
		err = errors.Join(err, d.release())
		d.reproach(err)
		if stopping.ctx.Err() != nil && errors.Is(err, context.Canceled) {
			return nil // asked to stop before it had begun
		}
		return err
	}
	for d != nil && err == nil {
		failed := d.serve()
		d.announce()
		if ready != nil {
			ready(d.address())
			ready = nil
		}
		d.takePlace(manager)
		d, err = d.work(stopping, failed, manager)
	}
	return err
}

// work serves until it ends. What it returns goes on in its place: there is one
// if it had handed over and its heir has failed.
func (d *daemon) work(stopping *stopping, failed <-chan error, manager notifier) (*daemon, error) {
	for {
		var failure error
		select {
		case h := <-d.heirs.asked:
			left, err := d.handOver(stopping, h)
			if !left {
				h.Close()
				d.heirs.taken.Store(false)
				continue
			}
			defer h.Close()
			if err != nil {
				return nil, err
			}
			return d.outlive(stopping, h)
		case <-stopping.ctx.Done():
			d.log.Info("stopping", "cause", context.Cause(stopping.ctx).Error())
		case failure = <-failed:
			d.log.Error("stopping", "cause", failure.Error())
		}
		d.heirs.close()
		manager.tell("STOPPING=1")
		return nil, errors.Join(failure, d.stop(stopping.hurry))
	}
}

// begin makes the daemon ready to serve, in the place of the one that runs if it
// was asked to.
func (d *daemon) begin(ctx context.Context) error {
	listen, succeed := d.listen, func(context.Context) error { return nil }
	if d.settings.Replace {
		listen, succeed = func() error { return nil }, d.succeed
	}
	if err := d.prepare(listen); err != nil {
		return err
	}
	if err := succeed(ctx); err != nil {
		return err
	}
	return d.open(ctx)
}

// prepare does all that needs no data directory of its own.
func (d *daemon) prepare(listen func() error) (err error) {
	d.tokens = token.Open(d.data.Tokens())
	if err := d.mayListen(); err != nil {
		return err
	}
	if err := listen(); err != nil {
		return err
	}
	if d.telemetry, err = newTelemetry(d.settings, d.wiring.Version, d.log); err != nil {
		return fmt.Errorf("start telemetry: %w", err)
	}
	if err := d.readTools(); err != nil {
		return err
	}
	d.config, err = d.configure()
	return err
}

// open acquires the rest, in the order of the package comment.
func (d *daemon) open(ctx context.Context) (err error) {
	if err := d.openRuntime(ctx); err != nil {
		return err
	}
	d.tools.Start(ctx)
	d.telemetry.CountStates(d.countStates)
	d.telemetry.CountNotifications(d.countNotifications)
	version := d.wiring.Version
	version.PID, version.DataDir = os.Getpid(), d.settings.Data
	d.server, err = server.New(server.Config{
		Runtime: d.runtime, Environment: d.settings.Environment, DataDir: d.settings.Data,
		MaxBody: d.settings.MaxBody, MaxRequests: d.settings.MaxRequests, AllowHosts: d.settings.AllowHosts,
		Tokens: d.tokens, Tools: d.tools, Logger: d.log, Version: version,
		Metrics: d.telemetry.Handler(), Wrap: d.telemetry.Middleware,
	})
	if err != nil {
		return err
	}
	if d.socket == nil {
		if d.socket, err = openSocket(ctx, d.data); err != nil {
			return fmt.Errorf("open socket: %w", err)
		}
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
	switch {
	case d.socket == nil:
	case d.before != nil: // it is that one's, still
		err = d.socket.letGo()
	default:
		if d.tcp != nil {
			err = removeFile(d.data.AddressFile())
		}
		err = errors.Join(err, d.socket.close())
	}
	return errors.Join(err, d.closeTelemetry())
}

// closeTelemetry sends the last traces.
func (d *daemon) closeTelemetry() error {
	if d.telemetry != nil {
		ctx, cancel := context.WithTimeout(context.Background(), d.limits.farewell)
		defer cancel()
		if lost := d.telemetry.Close(ctx); lost != nil {
			d.log.Warn("the last traces were not sent", "error", lost)
		}
	}
	return nil
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
		attrs = append(attrs, "dashboard", "http://"+d.tcp.Addr().String())
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
	// Of a daemon that is replaced, after its doors are shut: for blocked
	// requests and short programs to end.
	rest time.Duration
	// Of one that takes a place: for the data directory to be free.
	vacate time.Duration
}

func defaultLimits() limits {
	return limits{header: 10 * time.Second, idle: 2 * time.Minute, body: 30 * time.Second, bodyRate: 64 << 10,
		quiet: 100 * time.Millisecond, linger: 5 * time.Second, farewell: 3 * time.Second, giveUp: 30 * time.Second,
		rest: time.Second, vacate: 15 * time.Second}
}
