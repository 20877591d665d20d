package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper/internal/wire"
)

var (
	// errGone is what a call answers whose connection has ended before its
	// answer.
	errGone = errors.New("the connection to the keeper is gone")
	// errUnsent is errGone for a call that cannot have been heard.
	errUnsent = fmt.Errorf("%w already", errGone)
)

// link is one connection to a keeper, seen from the client.
type link struct {
	conn    *wire.Conn
	peer    greeting
	decided chan struct{} // closed when the client knows what comes after it

	mu    sync.Mutex
	next  uint64
	calls map[uint64]chan<- wire.Frame // guarded by mu; nil: over
}

func dialSocket(dir string) (*net.UnixConn, error) {
	d, err := openDir(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return net.DialUnix("unix", nil, socketAddr(d))
}

// dial connects to a keeper that is there, and returns what it holds.
func dial(ctx context.Context, c Config) (*link, []Info, error) {
	sock, err := dialSocket(c.Dir)
	if err != nil {
		return nil, nil, err
	}
	conn, err := wire.NewConn(sock)
	if err != nil {
		sock.Close()
		return nil, nil, err
	}
	l := &link{conn: conn, decided: make(chan struct{}), calls: make(map[uint64]chan<- wire.Frame)}
	defer context.AfterFunc(ctx, conn.Close)()
	jobs, err := l.greet(c.Build)
	if err != nil {
		conn.Close()
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, nil, err
	}
	return l, jobs, nil
}

func (l *link) greet(build string) (jobs []Info, err error) {
	// Only a keeper of this user, or of the system, is told what to run.
	if uid, err := l.conn.PeerUID(); err != nil || uid != os.Getuid() && uid != 0 {
		return nil, fmt.Errorf("the keeper's socket belongs to user %d: %w", uid, os.ErrPermission)
	}
	err = l.conn.Send(wire.Frame{Kind: hello, Body: encodeHello(Version, greeting{Build: build, PID: os.Getpid()})})
	if err != nil {
		return nil, err
	}
	_ = l.conn.SetReceiveDeadline(time.Now().Add(wire.Patience))
	for {
		f, err := l.conn.Receive()
		if err != nil {
			return nil, err
		}
		switch f.Kind {
		case welcome:
			err = json.Unmarshal(f.Body, &l.peer)
		case job:
			var i Info
			err = json.Unmarshal(f.Body, &i)
			jobs = append(jobs, i)
		case ready:
			return jobs, l.conn.SetReceiveDeadline(time.Time{})
		case failed:
			err = decodeError(f.Body)
		case takenOver:
			err = ErrTakenOver
		}
		if err != nil {
			return nil, err
		}
	}
}

// begin sends a request; its answer comes through the channel, which is closed
// if it does not come.
func (l *link) begin(k wire.Kind, body []byte, files []int) (uint64, <-chan wire.Frame, error) {
	ch := make(chan wire.Frame, 1)
	l.mu.Lock()
	if l.calls == nil {
		l.mu.Unlock()
		return 0, nil, errUnsent
	}
	l.next++
	n := l.next
	l.calls[n] = ch
	l.mu.Unlock()
	err := l.conn.SendWait(wire.Frame{Kind: k, Number: n, Body: body, Files: files})
	if err != nil {
		l.take(n)
		return 0, nil, errGone
	}
	return n, ch, nil
}

// call makes a request and returns the body of its answer. With a context that
// is over it asks the keeper to give up, and still waits for the answer.
func (l *link) call(ctx context.Context, k wire.Kind, body []byte) ([]byte, error) {
	n, ch, err := l.begin(k, body, nil)
	if err != nil {
		return nil, err
	}
	done := ctx.Done()
	for {
		select {
		case f, ok := <-ch:
			if !ok {
				return nil, errGone
			}
			if f.Kind == failed {
				return nil, decodeError(f.Body)
			}
			return f.Body, nil
		case <-done:
			done = nil
			_ = l.conn.SendWait(wire.Frame{Kind: cancel, Number: n})
		}
	}
}

func (l *link) take(n uint64) chan<- wire.Frame {
	l.mu.Lock()
	defer l.mu.Unlock()
	ch := l.calls[n]
	delete(l.calls, n)
	return ch
}

// deliver hands an answer to who waits for it.
func (l *link) deliver(f wire.Frame) {
	if ch := l.take(f.Number); ch != nil {
		ch <- f
		return
	}
	for _, fd := range f.Files {
		unix.Close(fd)
	}
}

// fail ends all calls.
func (l *link) fail() {
	l.conn.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, ch := range l.calls {
		close(ch)
	}
	l.calls = nil
}
