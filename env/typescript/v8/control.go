//go:build cgo && linux && (amd64 || arm64)

package v8

import (
	"encoding/binary"
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// message is what the control socket carries, both ways; zygote.cc has the same
// as Message. Text follows a hello only, a descriptor may come with each.
type message struct {
	Op     int64
	ID     int64 // of a fork
	PID    int64 // as the zygote sees it
	Status int64 // errno of a fork, 1 in the request for one ahead; wait status of an exit or a stop
	CPU    int64 // microseconds, of an exit
	RSS    int64 // bytes, of an exit
}

// The operations.
const (
	opHello = 'H' // from the zygote, first and once
	opFork  = 'F' // to it with the child's channel, from it with a pidfd
	opExit  = 'X' // from it
	opStop  = 'T' // from it
)

const messageSize = 6 * 8

// control is the control socket.
type control struct{ conn *net.UnixConn }

// newControl returns both ends; far is the zygote's.
func newControl() (near *control, far *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("control socket: %w", err)
	}
	far = os.NewFile(uintptr(fds[1]), "control")
	file := os.NewFile(uintptr(fds[0]), "control")
	defer file.Close()
	conn, err := net.FileConn(file)
	if err != nil {
		far.Close()
		return nil, nil, fmt.Errorf("control socket: %w", err)
	}
	return &control{conn.(*net.UnixConn)}, far, nil
}

func (c *control) send(m message, fd int) error {
	b, err := binary.Append(nil, binary.NativeEndian, m)
	if err != nil {
		return err
	}
	_, _, err = c.conn.WriteMsgUnix(b, unix.UnixRights(fd), nil)
	return err
}

// receive reads one message; fd is -1 if none came with it.
func (c *control) receive(buf []byte) (m message, text string, fd int, err error) {
	rights := make([]byte, unix.CmsgSpace(4))
	n, nr, _, _, err := c.conn.ReadMsgUnix(buf, rights)
	if err != nil {
		return m, "", -1, err
	}
	fd = oneRight(rights[:nr])
	if n < messageSize {
		if fd >= 0 {
			unix.Close(fd)
		}
		return m, "", -1, net.ErrClosed // the zygote has ended
	}
	_, err = binary.Decode(buf[:n], binary.NativeEndian, &m)
	return m, string(buf[messageSize:n]), fd, err
}

func oneRight(rights []byte) int {
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil || len(messages) == 0 {
		return -1
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) == 0 {
		return -1
	}
	return fds[0]
}
