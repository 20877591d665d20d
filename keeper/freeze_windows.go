package keeper

import "context"

// freeze: Windows has no documented way to stop all of a Job Object's threads.
func (t *jobTree) freeze(context.Context) error { return ErrNoFreeze }

func (t *jobTree) thaw() error { return nil }
