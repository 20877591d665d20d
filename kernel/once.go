package kernel

import (
	"context"

	"github.com/reeverun/reeve/process"
)

// SpawnOnce is Spawn for a request with a Key: if a process of the same key
// and request was created within process.KeyLife it is found instead, and
// created is false. The same key for another request is
// process.ErrKeyConflict. Of concurrent calls one creates, the others wait for
// it.
func (k *Kernel) SpawnOnce(ctx context.Context, r Request) (id process.ID, created bool, err error) {
	key := r.Spec.Key
	over, err := k.holdKey(ctx, key.Name)
	if err != nil {
		return 0, false, err
	}
	defer over()
	id, err = k.findKey(ctx, key)
	if id != 0 || err != nil {
		return id, false, err
	}
	id, err = k.Spawn(ctx, r)
	return id, err == nil, err
}

// holdKey waits until no other create uses the key.
func (k *Kernel) holdKey(ctx context.Context, name string) (over func(), err error) {
	mine := make(chan struct{})
	for {
		k.spawning.Lock()
		other := k.keys[name]
		if other == nil {
			k.keys[name] = mine
		}
		k.spawning.Unlock()
		if other == nil {
			break
		}
		select {
		case <-other:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return func() {
		k.spawning.Lock()
		delete(k.keys, name)
		k.spawning.Unlock()
		close(mine)
	}, nil
}

// findKey returns the process a key stands for, 0 if there is none.
func (k *Kernel) findKey(ctx context.Context, key process.Key) (process.ID, error) {
	id, err := k.cfg.Store.FindKey(ctx, key.Name)
	if err != nil {
		return 0, ignoreNotFound(err)
	}
	rec, err := k.cfg.Store.Process(ctx, id)
	switch {
	case err != nil:
		return 0, ignoreNotFound(err)
	case k.now().Sub(rec.CreatedAt) >= process.KeyLife:
		return 0, nil
	case rec.Key != key:
		return 0, process.Errorf(process.CodeKeyConflict, "the idempotency key %q was used for another request", key.Name)
	}
	return id, nil
}
