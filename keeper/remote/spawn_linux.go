package remote

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/internal/procs"
	"github.com/reeverun/reeve/keeper/internal/wire"
)

// Spawn has the keeper start a program. If the keeper is lost, another one is
// started first. An error that is keeper.ErrLost means that the keeper was lost
// while it was at it: what it had begun has been ended by the next.
func (c *Client) Spawn(ctx context.Context, s keeper.Spec) (keeper.Job, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if s.Name == "" {
		s.Name = "unnamed-" + rand.Text()
	}
	if !filepath.IsAbs(s.Dir) { // the keeper has another directory than this process
		s.Dir = filepath.Join(c.dir, s.Dir)
	}
	body, files := encodeSpec(s)
	if len(body) > wire.MaxBody {
		return nil, &keeper.SpawnError{Op: keeper.OpExec, Path: s.Path, Err: syscall.E2BIG, Hint: "arguments and environment together are too long"}
	}
	for {
		if err := c.connect(ctx); err != nil {
			return nil, err
		}
		j, l, err := c.expect(s.Name)
		if err != nil {
			return nil, err
		}
		job, err := c.spawn(ctx, l, j, body, files)
		if errors.Is(err, keeper.ErrLost) {
			job, err = c.rescue(ctx, s.Name, err)
		}
		if !errors.Is(err, errEnding) && !errors.Is(err, errUnsent) {
			return job, err
		}
		select { // nothing was started: the next one will do it
		case <-l.decided:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// expect makes a place for a job, so that what the keeper says of it finds it.
func (c *Client) expect(name string) (*remoteJob, *link, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.err != nil:
		return nil, nil, c.err
	case c.link == nil:
		return nil, nil, keeper.ErrLost
	case c.jobs[name] != nil:
		return nil, nil, &keeper.SpawnError{Op: keeper.OpHold, Path: name, Err: fs.ErrExist, Hint: "a job of this name was started before and has not been released"}
	}
	j := newRemoteJob(c, name, c.bond)
	c.jobs[name] = j
	delete(c.dropped, name)
	return j, c.link, nil
}

func (c *Client) spawn(ctx context.Context, l *link, j *remoteJob, body []byte, files []*os.File) (keeper.Job, error) {
	fds := make([]int, len(files))
	for i, f := range files {
		fds[i] = int(f.Fd())
	}
	_, ch, err := l.begin(spawn, body, fds)
	runtime.KeepAlive(files)
	if err != nil {
		return c.settle(l, j, err)
	}
	select {
	case f, ok := <-ch:
		if !ok {
			return c.settle(l, j, errGone)
		}
		return c.begun(j, f)
	case <-ctx.Done():
		c.abandon(j, ch)
		return nil, context.Cause(ctx)
	}
}

// begun takes in the answer to a spawn.
func (c *Client) begun(j *remoteJob, f wire.Frame) (keeper.Job, error) {
	var i Info
	var err error
	if f.Kind == failed {
		err = decodeError(f.Body)
	} else {
		err = json.Unmarshal(f.Body, &i)
	}
	if err != nil {
		c.mu.Lock()
		delete(c.jobs, j.name)
		c.mu.Unlock()
		return nil, err
	}
	j.take(i, f.Files)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bond != j.bond && c.err == nil { // its keeper was lost before this was read
		j.hold()
	}
	return j, nil
}

func (j *remoteJob) take(i Info, files []int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.info.Trace.PID == 0 { // else something newer is known already
		j.set(i)
	}
	j.takePidfd(files)
}

// takePidfd keeps the leader's descriptor if it can still be of use.
func (j *remoteJob) takePidfd(files []int) {
	exited, _ := j.ended()
	for n, fd := range files {
		if n > 0 || exited || j.local != nil || j.released {
			unix.Close(fd)
			continue
		}
		j.pidfd = fd
	}
}

// settle says what became of a spawn that had no answer. A keeper that lives
// has told by now of every job it has: one that is not among them was not
// started. Of a keeper that is dead nobody can say that.
func (c *Client) settle(l *link, j *remoteJob, err error) (keeper.Job, error) {
	<-l.decided
	if j.PID() != 0 {
		return j, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.jobs, j.name)
	switch {
	case c.err != nil:
		return nil, c.err
	case c.link != nil && c.bond == j.bond, errors.Is(err, errUnsent), l.dead() && !c.begunBy(j.name):
		return nil, errUnsent
	}
	return nil, fmt.Errorf("start %s: %w", j.name, keeper.ErrLost)
}

// rescue asks the next keeper what became of a start that was lost with the one
// before: it has taken up what that one had written down, and ended what it had
// not, before it answers. What it has not heard of was not begun.
func (c *Client) rescue(ctx context.Context, name string, lost error) (keeper.Job, error) {
	if err := c.connect(ctx); err != nil {
		return nil, lost
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch j := c.jobs[name]; {
	case j == nil:
		return nil, errUnsent
	case j.PID() != 0:
		return j, nil
	}
	return nil, lost
}

// begunBy reports whether a keeper may have begun a job: it makes the job's file
// first.
func (c *Client) begunBy(name string) bool {
	_, err := os.Lstat(filepath.Join(c.config.Dir, jobsDir, name))
	return !errors.Is(err, fs.ErrNotExist)
}

// dead reports whether the keeper at the other end is certainly no more.
func (l *link) dead() bool {
	s, err := procs.Read(l.peer.PID)
	return err != nil && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH)) ||
		err == nil && (s.Start != l.peer.Start || !s.Alive())
}

// abandon sees to it that a job is ended that is no longer wanted.
func (c *Client) abandon(j *remoteJob, ch <-chan wire.Frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.reading.Go(func() { c.regret(j, ch) })
	}
}

// regret ends a job that came too late.
func (c *Client) regret(j *remoteJob, ch <-chan wire.Frame) {
	f, ok := <-ch
	if !ok {
		return
	}
	if _, err := c.begun(j, f); err == nil {
		j.Kill()
		j.Release()
	}
}
