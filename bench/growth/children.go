package growth

import (
	"context"
	"fmt"
	"time"

	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
)

// kin is a daemon with a process that has many children, each a process of
// Reeve.
type kin struct {
	l       *lab.Lab
	d       *lab.Daemon
	parent  int64
	spawned []float64 // how long it took, each child, in ms
	killed  []float64
}

func children(l *lab.Lab) measure.Family {
	k := &kin{l: l}
	return measure.Family{X: "children of a process", Sizes: sizes(l, 1, 1000, 10), Grow: k.grow, Close: k.close, Curves: []measure.Curve{
		{ID: "children-create", Title: "creation of children by 8 clients, each", Unit: "ms", Limit: level, At: k.create},
		{ID: "children-tree", Title: "the tree, each process of it", Unit: "ms", Limit: level, At: k.tree},
		{ID: "children-kill", Title: "kill of the tree, each process of it", Unit: "ms", Limit: level, At: k.kill},
	}}
}

// grow makes the family and kills it, a few times; the last one stays.
func (k *kin) grow(ctx context.Context, size float64) error {
	if k.d == nil {
		dir, err := k.l.Scratch()
		if err != nil {
			return err
		}
		if k.d, err = k.l.Daemon(ctx, dir); err != nil {
			return err
		}
		if _, err := k.d.Run(ctx, lab.TrueCommand); err != nil { // starts the keeper
			return err
		}
	}
	k.spawned, k.killed = nil, nil
	for i := range k.l.Size(3, 2) {
		if i > 0 {
			if err := k.end(ctx, size); err != nil {
				return err
			}
		}
		if err := k.begin(ctx, int(size)); err != nil {
			return err
		}
	}
	return nil
}

func (k *kin) close() error {
	if k.d == nil {
		return nil
	}
	return k.d.Close()
}

func (k *kin) begin(ctx context.Context, size int) (err error) {
	if k.parent, err = k.d.Create(ctx, sleeper); err != nil {
		return err
	}
	begin := time.Now()
	err = lab.Together(size, 8, func() error {
		_, err := k.d.Create(ctx, fmt.Sprintf(`{"parent":%d,%s`, k.parent, sleeper[1:]))
		return err
	})
	k.spawned = append(k.spawned, milliseconds(time.Since(begin))/float64(size))
	return err
}

// end kills the parent with all its children, and waits until all are over.
func (k *kin) end(ctx context.Context, size float64) error {
	begin := time.Now()
	if err := k.d.KillNow(ctx, k.parent); err != nil {
		return err
	}
	for _, state := range []string{"queued", "running", "terminating"} {
		for {
			var left struct{ Processes []struct{ ID int64 } }
			if err := k.d.Do(ctx, "GET", fmt.Sprintf("/processes?limit=1&parent=%d&state=%s", k.parent, state), "", &left); err != nil {
				return err
			}
			if len(left.Processes) == 0 {
				break
			}
			if err := finalized(ctx, k.d, left.Processes[0].ID); err != nil {
				return err
			}
		}
	}
	k.killed = append(k.killed, milliseconds(time.Since(begin))/(size+1))
	return nil
}

func (k *kin) create(context.Context, float64) ([]float64, error) { return k.spawned, nil }

func (k *kin) tree(ctx context.Context, size float64) ([]float64, error) {
	took, err := each(ctx, k.l.Size(50, 3), func(int) error {
		var all struct{ Children []struct{ ID int64 } }
		err := k.d.Do(ctx, "GET", fmt.Sprintf("/processes/%d/tree", k.parent), "", &all)
		if err == nil && len(all.Children) != int(size) {
			err = fmt.Errorf("the tree has %d children and should have %g", len(all.Children), size)
		}
		return err
	})
	return divided(took, size+1), err
}

func (k *kin) kill(ctx context.Context, size float64) ([]float64, error) {
	err := k.end(ctx, size)
	return k.killed, err
}
