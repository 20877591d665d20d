package wire

import (
	"net"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// Send sends a frame and does not wait for the other side. Its descriptors are
// duplicated: they stay the caller's. An error is the end of the connection,
// except for a frame that is too long.
func (c *Conn) Send(f Frame) error { return c.send(f, false) }

// SendWait is Send for those who can wait until the other side takes it.
func (c *Conn) SendWait(f Frame) error { return c.send(f, true) }

// SendLater is Send for what is in no hurry and has no descriptors: it goes
// along with the next frame, or alone after a moment. To wake the other side
// costs both more than most frames do.
func (c *Conn) SendLater(f Frame) error {
	b, err := f.encode()
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.later) == 0 {
		c.alarm.Reset(later)
	}
	c.later = append(c.later, b...)
	if len(c.later) >= bufferSize {
		return c.pass(nil, nil)
	}
	return c.err
}

// sendLate sends what was in no hurry.
func (c *Conn) sendLate() {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.pass(nil, nil)
}

// WaitRoom waits until little is left to be sent, Flush until nothing is.
func (c *Conn) WaitRoom() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waitFor(room)
}

// Flush waits until nothing is left to be sent.
func (c *Conn) Flush() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waitFor(0)
}

// waitFor waits until no more than n bytes are left. The caller holds mu.
func (c *Conn) waitFor(n int) error {
	for c.queued > n && c.err == nil {
		c.less.Wait()
	}
	return c.err
}

func (c *Conn) send(f Frame, wait bool) error {
	b, err := f.encode()
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if wait {
		_ = c.waitFor(room)
	}
	return c.pass(b, f.Files)
}

// pass sends a frame, after what has waited for one. The caller holds mu.
func (c *Conn) pass(b []byte, files []int) error {
	if len(c.later) > 0 {
		b = append(c.later, b...)
		c.later = nil
	}
	switch {
	case c.err != nil:
		return c.err
	case c.queued+len(b) > MaxQueue:
		c.end(ErrSlow)
		return ErrSlow
	case len(b) == 0:
		return nil
	case c.sending:
		return c.enqueue(packet{b, files})
	}
	rest, err := c.try(packet{b, files})
	if err != nil || len(rest.bytes) == 0 {
		return err
	}
	if err := c.enqueue(rest); err != nil {
		return err
	}
	c.sending = true
	c.draining.Go(c.drain)
	return nil
}

// enqueue keeps a packet for later, with descriptors of its own.
func (c *Conn) enqueue(p packet) error {
	p.files = slices.Clone(p.files)
	for i, fd := range p.files {
		own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			closeAll(p.files[:i])
			return err
		}
		p.files[i] = own
	}
	c.queue = append(c.queue, p)
	c.queued += len(p.bytes)
	return nil
}

// try sends what the socket takes at once, and returns the rest. The caller
// holds mu.
func (c *Conn) try(p packet) (rest packet, err error) {
	var bad error
	err = c.raw.Control(func(fd uintptr) { p, bad = sendSome(int(fd), p) })
	if err == nil && bad != unix.EAGAIN {
		err = bad
	}
	if err != nil {
		c.end(err)
	}
	return p, err
}

// sendSome sends until the socket takes no more.
func sendSome(fd int, p packet) (rest packet, err error) {
	for len(p.bytes) > 0 {
		n, err := sendmsg(fd, p)
		if err != nil {
			return p, err
		}
		p = packet{bytes: p.bytes[n:]}
	}
	return p, nil
}

func sendmsg(fd int, p packet) (int, error) {
	var oob []byte
	if len(p.files) > 0 {
		oob = unix.UnixRights(p.files...)
	}
	for {
		n, err := unix.SendmsgN(fd, p.bytes, oob, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
		if err != unix.EINTR {
			return n, err
		}
	}
}

// drain sends what waits, until nothing does.
func (c *Conn) drain() {
	for {
		c.mu.Lock()
		if len(c.queue) == 0 || c.err != nil {
			c.sending = false
			c.mu.Unlock()
			return
		}
		p := c.queue[0]
		c.mu.Unlock()
		if err := c.sendAll(p); err != nil {
			c.fail(err)
			return
		}
		c.shift()
	}
}

// shift takes the packet that has been sent off the queue.
func (c *Conn) shift() {
	c.mu.Lock()
	defer c.mu.Unlock()
	closeAll(c.queue[0].files)
	c.queued -= len(c.queue[0].bytes)
	c.queue[0] = packet{}
	if c.queue = c.queue[1:]; len(c.queue) == 0 {
		c.queue = nil
	}
	c.less.Broadcast()
}

// sendAll waits for the socket to take a packet.
func (c *Conn) sendAll(p packet) error {
	if err := c.sock.SetWriteDeadline(time.Now().Add(Patience)); err != nil {
		return net.ErrClosed
	}
	var bad error
	err := c.raw.Write(func(fd uintptr) bool {
		p, bad = sendSome(int(fd), p)
		return bad != unix.EAGAIN
	})
	if err != nil {
		return ErrSlow
	}
	return bad
}
