package keeper

import (
	"errors"
	"fmt"
	"os"
)

// console is the writing end of an interactive job's stdin, and the end that
// the job has. A nil console is that of a job that takes no input.
type console struct {
	input *input
	child *os.File
}

// openConsole makes the pipe s asks for and puts the job's end into s.
func openConsole(s *Spec) (*console, error) {
	if s.PTY != nil {
		return nil, &SpawnError{Op: OpCheck, Path: s.Path, Err: errors.ErrUnsupported, Hint: "there are no terminals for programs on Windows"}
	}
	if !s.StdinPipe {
		return nil, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, &SpawnError{Op: OpHold, Path: s.Path, Err: err}
	}
	s.Stdin = r
	return &console{input: &input{file: w}, child: r}, nil
}

func (c *console) start(t tree) tree {
	if c != nil {
		c.child.Close()
	}
	return t
}

func (c *console) close() {
	if c != nil {
		c.child.Close()
		c.input.close()
	}
}

func resize(*os.File, Window) error { return errors.ErrUnsupported }

// inputError names the ways in which an input ends.
func inputError(err error) error {
	if err != nil {
		return fmt.Errorf("%w any more: %w", ErrNoInput, err)
	}
	return nil
}
