package daemon

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/daemon/handover"
	"github.com/reeverun/reeve/process"
)

// beginWithin is how long an heir may take to say that it could serve, and to
// take the sockets.
const beginWithin = 10 * time.Second

// errHeirGone is why a handover is given up.
var errHeirGone = errors.New("the daemon that was to replace this one has gone")

// handOver gives the daemon's place to an heir. It reports whether it has: else
// nothing has changed, and the daemon serves as before. An error says that it
// has to end at once for that.
func (d *daemon) handOver(stopping *stopping, h *heir) (left bool, err error) {
	ctx, cancel := context.WithCancelCause(stopping.ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		select {
		case <-h.Gone():
			cancel(errHeirGone)
		case <-ctx.Done():
		}
	})
	defer func() { cancel(nil); watching.Wait() }()
	d.log.Info("being replaced", "by", h.PID, "version", h.Version)
	if err := d.offer(ctx, h); err != nil {
		d.say(false)
		d.log.Warn("not replaced: serving as before", "by", h.PID, "cause", err.Error())
		_ = h.Say(handover.Message{Say: handover.Failed, Reason: "the daemon that runs goes on: " + err.Error()})
		return false, nil
	}
	return true, d.retire(stopping.hurry, h)
}

// offer brings the daemon to where it can leave, and returns when the heir has
// the sockets.
func (d *daemon) offer(ctx context.Context, h *heir) error {
	doors, fds, err := d.doors()
	defer handover.CloseDuplicates(fds)
	if err != nil {
		return err
	}
	hello := handover.Message{Say: handover.Hello, PID: os.Getpid(), Version: d.wiring.Version.Version, Doors: doors}
	if err := h.Say(hello); err != nil {
		return err
	}
	if err := awaitSoon(ctx, h, handover.Begin); err != nil {
		return err
	}
	d.settle(ctx, time.Duration(h.DrainMS)*time.Millisecond)
	d.say(true)
	select {
	case <-time.After(2 * d.limits.quiet):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := h.Say(handover.Message{Say: handover.Take, Doors: doors}, fds...); err != nil {
		return err
	}
	return awaitSoon(ctx, h, handover.Taken)
}

func awaitSoon(ctx context.Context, h *heir, w handover.Word) error {
	ctx, cancel := context.WithTimeoutCause(ctx, beginWithin, errors.New("the daemon that was to replace this one does not go on"))
	defer cancel()
	_, err := h.Await(ctx, w)
	return err
}

// doors are the sockets to hand over, with a descriptor for each.
func (d *daemon) doors() (doors []handover.Door, fds []int, err error) {
	add := func(door handover.Door, of any) {
		c, ok := of.(syscall.Conn)
		if !ok {
			err = errors.Join(err, errors.New(door.Address+" has no descriptor"))
			return
		}
		fd, bad := handover.Duplicate(c)
		if bad != nil {
			err = errors.Join(err, bad)
			return
		}
		doors, fds = append(doors, door), append(fds, fd)
	}
	if d.tcp != nil {
		add(handover.Door{Kind: handover.TCP, Asked: d.settings.Listen, Address: d.tcp.Addr().String()}, d.tcp)
	}
	add(handover.Door{Kind: handover.Unix, Address: d.socket.path}, d.socket.Listener)
	add(handover.Door{Kind: handover.Lock, Address: d.data.SocketLock()}, d.socket.lock)
	return doors, fds, err
}

// say has clients told, or no more, that each answer is the last on its
// connection.
func (d *daemon) say(leaving bool) {
	for _, s := range d.services {
		s.listener.leaving.Store(leaving)
	}
}

// settle lets the programs and agents that run end by themselves, for a while,
// and then ends them. Everything is served meanwhile; what is started while it
// waits is not waited for.
func (d *daemon) settle(ctx context.Context, within time.Duration) {
	running := d.mortals(ctx)
	soon, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	left := d.awaitEnd(soon, running)
	if ctx.Err() != nil || len(left) == 0 {
		return
	}
	d.log.Info("ending what runs in this daemon", "processes", len(left))
	d.killEach(ctx, slices.Values(left), reeve.KillOptions{Alone: true})
	soon, cancel = context.WithTimeout(ctx, d.settings.StopTimeout)
	defer cancel()
	d.awaitEnd(soon, left)
}

// awaitEnd returns those that have not ended when ctx is over.
func (d *daemon) awaitEnd(ctx context.Context, all []reeve.ID) (left []reeve.ID) {
	for _, id := range all {
		if _, err := d.runtime.Await(ctx, id); err != nil && ctx.Err() != nil {
			left = append(left, id)
		}
	}
	return left
}

// mortals are the processes that run, would end with this daemon, and end by
// themselves some time: not those that wait for a person, nor supervisors and
// what they keep running.
func (d *daemon) mortals(ctx context.Context) (ids []reeve.ID) {
	var running []reeve.Process
	keepers := map[reeve.ID]bool{}
	for p := range d.each(ctx, process.Running) {
		running = append(running, p)
		keepers[p.ID] = p.Environment == process.EnvSupervisor
	}
	for _, p := range running {
		if !keepers[p.ID] && !keepers[p.Parent] && !p.Paused && !d.outlived(&p) {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// outlived reports whether a process that runs goes on without this daemon.
func (d *daemon) outlived(p *reeve.Process) bool {
	return p.Environment == process.EnvCommand && d.kept.Load()
}
