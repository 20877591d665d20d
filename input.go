package reeve

import "context"

// Input writes to the terminal or the open stdin of a running process and
// returns how much was taken. It waits for a program that does not read until
// ctx is over or the run is. A process that takes no input (see Task.PTY and
// Task.StdinOpen), or no more, is ErrNoInput, one that is not running
// ErrNotRunning. What is written at the same time is not mixed.
func (rt *Runtime) Input(ctx context.Context, id ID, b []byte) (int, error) {
	return rt.kernel.Input(ctx, id, b)
}

// CloseInput ends the open stdin of a running process; to a terminal it sends
// the end-of-file character, which a program reads as an end where it stands at
// the beginning of a line.
func (rt *Runtime) CloseInput(ctx context.Context, id ID) error {
	return rt.kernel.CloseInput(ctx, id)
}

// Resize changes the size of the terminal of a running process.
func (rt *Runtime) Resize(ctx context.Context, id ID, w Window) error {
	return rt.kernel.Resize(ctx, id, w)
}
