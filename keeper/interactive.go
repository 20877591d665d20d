package keeper

import (
	"context"
	"os"
	"sync"
	"time"
)

// Window is the size of a terminal.
type Window struct {
	Rows, Cols uint16
}

// Interactive is what a Job whose Spec asked for a PTY or a StdinPipe can do
// besides; every Job of this package has the methods, and answers ErrNoInput
// where there is no input. They are safe for concurrent use.
type Interactive interface {
	// Input writes to the program's input and returns how much was taken. It
	// waits for a program that does not read, until ctx is over.
	Input(ctx context.Context, p []byte) (int, error)
	// CloseInput ends a pipe; to a terminal it sends the end-of-file
	// character, which a program reads as an end where it stands at the
	// beginning of a line.
	CloseInput() error
	// Resize changes the size of a terminal, which its programs are told.
	Resize(w Window) error
}

var _ Interactive = (*job)(nil)

// eof is what ends the input of a terminal.
const eof = 4

// input is the writing end of a job's stdin: a pipe or a terminal.
type input struct {
	file     *os.File
	terminal bool

	writing sync.Mutex // one write at a time, so that none is torn apart
}

// Input writes to the program's input.
func (j *job) Input(ctx context.Context, p []byte) (int, error) {
	if j.input == nil {
		return 0, ErrNoInput
	}
	return j.input.write(ctx, p)
}

// CloseInput ends the program's input.
func (j *job) CloseInput() error {
	switch {
	case j.input == nil:
		return ErrNoInput
	case j.input.terminal:
		ctx, cancel := context.WithTimeout(context.Background(), freezeFor)
		defer cancel()
		_, err := j.input.write(ctx, []byte{eof})
		return err
	default:
		j.input.close()
		return nil
	}
}

// Resize changes the size of the program's terminal.
func (j *job) Resize(w Window) error {
	if j.input == nil || !j.input.terminal {
		return ErrNoInput
	}
	return resize(j.input.file, w)
}

// write gives up with its context. What had been taken by then stays so.
func (i *input) write(ctx context.Context, p []byte) (int, error) {
	i.writing.Lock()
	defer i.writing.Unlock()
	if err := context.Cause(ctx); err != nil {
		return 0, err
	}
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = i.file.SetWriteDeadline(time.Unix(1, 0))
		close(interrupted)
	})
	n, err := i.file.Write(p)
	if !stop() {
		<-interrupted
		_ = i.file.SetWriteDeadline(time.Time{})
		if n < len(p) {
			return n, context.Cause(ctx)
		}
	}
	return n, inputError(err)
}

// close ends a write in progress, too.
func (i *input) close() { i.file.Close() }
