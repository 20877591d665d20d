package wire

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// How much may wait to be sent, and for how long a peer may take nothing.
const (
	MaxQueue = 16 << 20
	Patience = 30 * time.Second
	// room is how much may wait when somebody who can wait sends.
	room = 256 << 10
	// later is how long a frame may wait that is in no hurry.
	later = 5 * time.Millisecond
)

// ErrSlow is what ends the connection of a peer that does not read.
var ErrSlow = errors.New("the other side does not read")

// bufferSize holds most frames.
const bufferSize = 8 << 10

// Conn is a connection that carries frames. One goroutine at a time may
// receive; any number may send.
type Conn struct {
	sock *net.UnixConn
	raw  syscall.RawConn

	// The receiver's.
	buf      []byte // what has been read and not yet used
	space    []byte
	oob      []byte
	received []int // descriptors that belong to frames not yet complete

	draining sync.WaitGroup // the goroutine that sends what has to wait

	mu      sync.Mutex // guards the rest
	less    sync.Cond  // the queue has become shorter, or err is set
	queue   []packet
	queued  int // bytes
	sending bool
	later   []byte // frames that go along with the next one
	err     error

	alarm *time.Timer // sends later if no frame comes
}

// packet is an encoded frame, or what is left of one.
type packet struct {
	bytes []byte
	files []int // sent with the first byte
}

// NewConn takes over a socket.
func NewConn(sock *net.UnixConn) (*Conn, error) {
	raw, err := sock.SyscallConn()
	if err != nil {
		return nil, err
	}
	c := &Conn{sock: sock, raw: raw, space: make([]byte, bufferSize), oob: make([]byte, unix.CmsgSpace(4*MaxFiles))}
	c.less.L = &c.mu
	c.alarm = time.AfterFunc(later, c.sendLate)
	c.alarm.Stop()
	return c, nil
}

// PeerUID is the user at the other side.
func (c *Conn) PeerUID() (int, error) {
	var cred *unix.Ucred
	var bad error
	err := c.raw.Control(func(fd uintptr) {
		cred, bad = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if err = errors.Join(err, bad); err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}

// SetReceiveDeadline bounds the wait for frames; the zero time lifts it.
func (c *Conn) SetReceiveDeadline(t time.Time) error { return c.sock.SetReadDeadline(t) }

// Close ends the connection and waits for its goroutine. Frames that wait are
// dropped, and their descriptors closed. It may be called again.
func (c *Conn) Close() {
	c.sendLate()
	c.fail(net.ErrClosed)
	c.alarm.Stop()
	c.draining.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.queue {
		closeAll(p.files)
	}
	c.queue, c.queued = nil, 0
}

// fail makes err the end of the connection, unless it has one.
func (c *Conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end(err)
}

// end is fail for those who hold mu.
func (c *Conn) end(err error) {
	if c.err == nil {
		c.err = err
	}
	c.less.Broadcast()
	c.sock.Close()
}

// Receive returns the next frame. Any error is the end of the connection.
func (c *Conn) Receive() (Frame, error) {
	f, err := c.receive()
	if err != nil {
		closeAll(c.received)
		c.received = nil
	}
	return f, err
}

func (c *Conn) receive() (Frame, error) {
	var head [headerSize]byte
	if err := c.read(head[:]); err != nil {
		return Frame{}, err
	}
	h, err := decodeHeader(head[:])
	if err != nil {
		return Frame{}, err
	}
	f := Frame{Kind: h.kind, Number: h.number, Body: make([]byte, h.length)}
	if err := c.read(f.Body); err != nil {
		return Frame{}, err
	}
	if len(c.received) < h.files {
		// A process that is out of descriptors is no reason to hang up.
		f.Short = true
		closeAll(c.received)
		c.received = c.received[:0]
		return f, nil
	}
	f.Files = append(f.Files, c.received[:h.files]...)
	c.received = append(c.received[:0], c.received[h.files:]...)
	return f, nil
}

// read fills p.
func (c *Conn) read(p []byte) error {
	for {
		n := copy(p, c.buf)
		c.buf, p = c.buf[n:], p[n:]
		if len(p) == 0 {
			return nil
		}
		into := c.space
		if len(p) >= len(into) {
			into = p // no need to copy
		}
		n, err := c.readSocket(into)
		if err != nil {
			return err
		}
		if len(into) == len(p) && &into[0] == &p[0] {
			p = p[n:]
		} else {
			c.buf = into[:n]
		}
	}
}

// readSocket reads once, and keeps the descriptors that came along.
func (c *Conn) readSocket(p []byte) (int, error) {
	n, oobn, flags, _, err := c.sock.ReadMsgUnix(p, c.oob)
	if errors.Is(err, unix.ECONNRESET) {
		// It ended without reading our last frames. The kernel says so
		// first, and only then hands out what it had sent.
		n, oobn, flags, _, err = c.sock.ReadMsgUnix(p, c.oob)
	}
	if err != nil {
		return 0, err
	}
	files, err := descriptors(c.oob[:oobn])
	c.received = append(c.received, files...)
	switch {
	case err != nil:
		return 0, err
	case flags&unix.MSG_CTRUNC != 0 && len(files) == MaxFiles, len(c.received) > MaxFiles*2:
		return 0, fmt.Errorf("%w: too many descriptors", ErrMalformed)
	case n == 0:
		return 0, net.ErrClosed
	}
	return n, nil
}

func descriptors(oob []byte) (all []int, err error) {
	if len(oob) == 0 {
		return nil, nil
	}
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, err
	}
	for i := range messages {
		if fds, err := unix.ParseUnixRights(&messages[i]); err == nil {
			all = append(all, fds...)
		}
	}
	return all, nil
}

func closeAll(fds []int) {
	for _, fd := range fds {
		unix.Close(fd)
	}
}
