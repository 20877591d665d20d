package keeper

import (
	"context"
	"fmt"
	"time"
)

// How long a tree may take to stand still, and how soon it is asked, at first
// and at last. What takes longer than a moment is in the kernel's hands, such
// as a read from a disk that does not answer.
const (
	freezeFor   = 5 * time.Second
	freezeFirst = 50 * time.Microsecond
	freezeLast  = 20 * time.Millisecond
)

// Freeze stops the tree.
func (j *job) Freeze(ctx context.Context) error {
	j.freezing.Lock()
	defer j.freezing.Unlock()
	if err := context.Cause(ctx); err != nil || j.ended() {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, freezeFor,
		fmt.Errorf("the tree does not stand still within %v", freezeFor))
	defer cancel()
	err := j.tree.freeze(ctx)
	if err != nil {
		_ = j.tree.thaw() // all or nothing
	}
	j.setFrozen(err == nil)
	return err
}

func (j *job) setFrozen(frozen bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.frozen = frozen
}

// Thaw lets the tree go on.
func (j *job) Thaw() error {
	j.freezing.Lock()
	defer j.freezing.Unlock()
	if j.ended() {
		return nil
	}
	err := j.tree.thaw()
	if err == nil {
		j.setFrozen(false)
	}
	return err
}

// retry tries until it is done, fails, or ctx is over.
func retry(ctx context.Context, try func() (done bool, err error)) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	<-timer.C
	for pause := freezeFirst; ; pause = min(2*pause, freezeLast) {
		if done, err := try(); done || err != nil {
			return err
		}
		timer.Reset(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
