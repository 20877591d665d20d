package remote

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/internal/wire"
)

// Input writes to the program's input, piece by piece. Nothing is a piece, too:
// it finds out whether there is an input.
func (j *remoteJob) Input(ctx context.Context, p []byte) (int, error) {
	total := 0
	for {
		n, err := j.write(ctx, p[:min(len(p), maxInput)])
		total += n
		if p = p[n:]; err != nil || len(p) == 0 {
			return total, err
		}
	}
}

// maxInput is how much goes in one frame.
const maxInput = 64 << 10

func (j *remoteJob) write(ctx context.Context, p []byte) (int, error) {
	if err := context.Cause(ctx); err != nil {
		return 0, err
	}
	l, err := j.client.current(j.bond)
	if err != nil {
		return 0, err
	}
	b, err := l.call(ctx, input, append(wire.AppendStrings(nil, j.name), p...))
	if err != nil {
		return 0, err
	}
	var t taken
	if err := json.Unmarshal(b, &t); err != nil {
		return 0, err
	}
	if t.Error == nil {
		return t.Bytes, nil
	}
	err = t.Error.error()
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = context.Cause(ctx)
	}
	return t.Bytes, err
}

// CloseInput ends the program's input.
func (j *remoteJob) CloseInput() error {
	return j.ask(context.Background(), closeInput, request{}, noInput, nil)
}

// Resize changes the size of the program's terminal.
func (j *remoteJob) Resize(w keeper.Window) error {
	return j.ask(context.Background(), resize, request{Window: w}, noInput, nil)
}

// noInput: inputs end with their keeper.
func noInput(keeper.Job) error { return keeper.ErrNoInput }
