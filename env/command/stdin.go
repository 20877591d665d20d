package command

import (
	"os"
	"time"

	"github.com/reeverun/reeve/process"
)

// openStdin returns what the child reads; nil is the null device.
func openStdin(c *process.Command) (f *os.File, closer func(), err error) {
	if c.PTY { // its terminal is its input
		return nil, func() {}, nil
	}
	switch c.Stdin {
	case process.StdinInherit:
		return os.Stdin, func() {}, nil
	case process.StdinBytes:
		f, err := bytesFile([]byte(c.StdinData.Reveal()))
		if err != nil {
			return nil, nil, err
		}
		return f, func() { f.Close() }, nil
	default:
		return nil, func() {}, nil
	}
}

// setReadDeadline lets a pump read what is there and no more.
func setReadDeadline(f *os.File) { _ = f.SetReadDeadline(time.Now().Add(time.Second)) }
