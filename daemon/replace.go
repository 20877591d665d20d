package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/daemon/handover"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/settings"
)

// succeed takes the place of the daemon that runs on the data directory. What
// could keep this one from serving is looked for first: until the other one has
// been told that its sockets are taken, it serves on if this one fails.
func (d *daemon) succeed(ctx context.Context) error {
	if err := reeve.Check(ctx, d.config); err != nil {
		return err
	}
	path, err := d.data.FindSocket()
	if err != nil {
		return err
	}
	before, hello, err := handover.Ask(ctx, path, handover.Request{Protocol: handover.Protocol,
		PID: os.Getpid(), Version: d.wiring.Version.Version, DrainMS: d.settings.DrainFor.Milliseconds()})
	if errors.Is(err, handover.ErrNobody) {
		d.log.Info("there is no daemon to replace", "data", d.settings.Data)
		return d.listen()
	}
	if err != nil {
		return err
	}
	d.log.Info("replacing", "pid", hello.PID, "version", hello.Version)
	d.before = before
	err = d.takeDoors(ctx, hello)
	if errors.Is(err, handover.ErrGone) {
		d.log.Warn("the daemon that was to be replaced has ended by itself", "pid", hello.PID)
		before.Close()
		d.before = nil
		return d.listen()
	}
	return err
}

// takeDoors returns when the other daemon answers no more.
func (d *daemon) takeDoors(ctx context.Context, hello handover.Message) error {
	if !d.inherits(hello) {
		if err := d.listen(); err != nil {
			return err
		}
	}
	if err := d.before.Say(handover.Message{Say: handover.Begin}); err != nil {
		return handover.ErrGone
	}
	take, err := d.before.Await(ctx, handover.Take)
	if err != nil {
		return err
	}
	if err := d.enter(take); err != nil {
		return err
	}
	_ = d.before.Say(handover.Message{Say: handover.Taken})
	_, err = d.before.Await(ctx, handover.Released)
	if errors.Is(err, handover.ErrGone) { // also then all is free
		return nil
	}
	return err
}

// inherits reports whether the other daemon listens where this one is to.
func (d *daemon) inherits(hello handover.Message) bool {
	for _, door := range hello.Doors {
		if d.wants(door) {
			return true
		}
	}
	return d.settings.Listen == settings.None
}

func (d *daemon) wants(door handover.Door) bool {
	if door.Kind != handover.TCP || d.settings.Listen == settings.None || d.tcp != nil {
		return false
	}
	if d.settings.Listen == door.Asked || d.settings.Listen == door.Address {
		return true
	}
	mine, err := net.ResolveTCPAddr("tcp", d.settings.Listen)
	if err != nil {
		return false
	}
	theirs, err := net.ResolveTCPAddr("tcp", door.Address)
	everywhere := func(ip net.IP) bool { return len(ip) == 0 || ip.IsUnspecified() }
	return err == nil && mine.Port == theirs.Port && (mine.IP.Equal(theirs.IP) || everywhere(mine.IP) && everywhere(theirs.IP))
}

// enter makes the sockets this daemon's own.
func (d *daemon) enter(take handover.Message) (err error) {
	defer take.CloseFiles()
	if len(take.Files) != len(take.Doors) {
		return fmt.Errorf("the daemon that runs handed %d sockets over and spoke of %d", len(take.Files), len(take.Doors))
	}
	s := &socket{data: d.data}
	for i, door := range take.Doors {
		switch f := take.Files[i]; {
		case d.wants(door):
			d.tcp, err = net.FileListener(f)
		case door.Kind == handover.Unix:
			s.path = door.Address
			s.Listener, err = net.FileListener(f)
		case door.Kind == handover.Lock:
			s.lock, take.Files[i] = settings.HeldLock(f), nil
		}
		if err != nil {
			return errors.Join(fmt.Errorf("take over the socket %s: %w", door.Address, err), s.letGo())
		}
	}
	if s.Listener == nil || s.lock == nil {
		return errors.Join(errors.New("the daemon that runs did not hand its unix socket over"), s.letGo())
	}
	d.socket = s
	return nil
}

// openRuntime opens the data directory. A daemon that takes the place of another
// gives that one, and what it was just starting, time to be gone from it.
func (d *daemon) openRuntime(ctx context.Context) (err error) {
	giveUp := time.Now().Add(d.limits.vacate)
	for {
		d.runtime, err = reeve.Open(ctx, d.config)
		if err == nil || d.socket == nil || !errors.Is(err, process.ErrOwned) || time.Now().After(giveUp) {
			return err
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// takePlace says that the daemon serves: to the service manager, for which it
// becomes the service, and then to the one it replaces, which exits.
func (d *daemon) takePlace(manager notifier) {
	if d.before == nil {
		manager.tell("READY=1")
		return
	}
	manager.tell(fmt.Sprintf("MAINPID=%d\nREADY=1", os.Getpid()))
	_ = d.before.Say(handover.Message{Say: handover.Serving})
	d.before.Close()
	d.before = nil
}

// reproach tells the daemon that was to be replaced why it is not, once all that
// was taken is given back.
func (d *daemon) reproach(err error) {
	if d.before != nil {
		_ = d.before.Say(handover.Message{Say: handover.Failed, Reason: err.Error()})
		d.before.Close()
		d.before = nil
	}
}
