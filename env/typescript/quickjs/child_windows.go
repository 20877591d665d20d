package quickjs

import (
	"context"
	"errors"
	"os"
	"syscall"
)

// pipes are the standard streams of a child.
type pipes struct {
	in, out *os.File
}

func (p pipes) Read(b []byte) (int, error)  { return p.out.Read(b) }
func (p pipes) Write(b []byte) (int, error) { return p.in.Write(b) }
func (p pipes) Close() error                { return errors.Join(p.in.Close(), p.out.Close()) }

// connect makes the child's standard input and output the channel.
func (c *child) connect() (release func(), err error) {
	theirIn, ourIn, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ourOut, theirOut, err := os.Pipe()
	if err != nil {
		theirIn.Close()
		ourIn.Close()
		return nil, err
	}
	c.channel = pipes{ourIn, ourOut}
	c.cmd.Stdin, c.cmd.Stdout = theirIn, theirOut
	return func() {
		theirIn.Close()
		theirOut.Close()
	}, nil
}

// openChannel is the child's end.
func openChannel() (in, out *os.File) { return os.Stdin, os.Stdout }

func signalOf(*os.ProcessState) string { return "" }

func maxRSSOf(*os.ProcessState) int64 { return 0 }

func isReset(err error) bool { return errors.Is(err, syscall.ERROR_BROKEN_PIPE) }

var errNoStop = errors.New("a program cannot be paused on Windows: the quickjs engine has no means to stop its process")

// Stop is not possible here.
func (c *child) Stop(context.Context) error { return errNoStop }

// Continue is not possible here.
func (c *child) Continue() error { return errNoStop }
