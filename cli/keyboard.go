package cli

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
)

// keyboard types what comes from standard input into a process.
type keyboard struct {
	app    *App
	client *client.Client
	id     process.ID
	leave  detachKeys

	typed chan []byte // read, and not sent yet; closed at the end of the input
}

// errDetached says that the user has left a process.
var errDetached = errors.New("detached")

// How far reading may be ahead of a program that does not: the keys that leave
// must be seen all the same.
const (
	keyBlock  = 4 << 10
	keyBlocks = 256
	sendMost  = 64 << 10
)

func newKeyboard(a *App, c *client.Client, id process.ID, leave detachKeys) *keyboard {
	return &keyboard{app: a, client: c, id: id, leave: leave, typed: make(chan []byte, keyBlocks)}
}

// run returns when the input has ended, the process takes no more, or ctx is
// over. It is errDetached when the user leaves.
func (k *keyboard) run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	reading := make(chan struct{})
	go func() {
		defer close(reading)
		if err := k.read(ctx); err != nil {
			cancel(err)
		}
	}()
	err := k.send(ctx)
	if errors.Is(context.Cause(ctx), errDetached) {
		err = errDetached
	}
	cancel(nil)
	if interruptible {
		<-reading
	}
	return err
}

// read reads until the end of the input or the keys that leave.
func (k *keyboard) read(ctx context.Context) error {
	in, closeIn, err := openInput(ctx, k.app.Stdin)
	if err != nil {
		return err
	}
	defer closeIn()
	for {
		b := make([]byte, keyBlock)
		n, err := in.Read(b)
		typed, leave := k.leave.take(b[:n])
		if len(typed) > 0 {
			select {
			case k.typed <- typed:
			case <-ctx.Done():
				return nil
			}
		}
		switch {
		case leave:
			return errDetached
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, io.EOF):
			close(k.typed)
			return nil
		case err != nil: // the terminal has gone
			return errDetached
		}
	}
}

// send passes on what was read, as much at a time as there is.
func (k *keyboard) send(ctx context.Context) error {
	for {
		b, more := k.next(ctx)
		if len(b) > 0 {
			_, err := k.client.Input(ctx, k.id, b)
			if over, err := k.failed(ctx, err); over {
				return err
			}
		}
		if !more {
			if ctx.Err() != nil {
				return nil
			}
			_, err := k.failed(ctx, k.client.CloseInput(ctx, k.id))
			return err
		}
	}
}

// next waits for something that was typed and takes what else there is.
func (k *keyboard) next(ctx context.Context) (b []byte, more bool) {
	select {
	case b, more = <-k.typed:
	case <-ctx.Done():
		return nil, false
	}
	for more && len(b) < sendMost {
		select {
		case next, ok := <-k.typed:
			b, more = append(b, next...), ok
		default:
			return b, true
		}
	}
	return b, more
}

// failed reports whether it is no use to type on, and what is wrong.
func (k *keyboard) failed(ctx context.Context, err error) (over bool, _ error) {
	switch {
	case err == nil:
		return false, nil
	case ctx.Err() != nil, errors.Is(err, process.ErrNotRunning), errors.Is(err, process.ErrNotFound):
		return true, nil // what is shown says how it ended
	case errors.Is(err, process.ErrNoInput):
		return true, nil
	case errors.As(err, new(*client.StatusError)):
		return true, err
	}
	k.app.say("the connection broke: what was typed last may not have arrived")
	return false, nil
}

// isPiped reports whether f is a pipe or a file.
func isPiped(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&os.ModeNamedPipe != 0)
}
