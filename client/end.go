package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// Ended is what came of a kill: the proof that nothing is left, or what is.
type Ended struct {
	Named   []process.ID     // those that were named, ran, and could be killed
	Records []process.Record // theirs, and of what died with them, all idle
	// Processes is how many have ended: of the operating system, or of Reeve
	// where there are none.
	Processes int
	Left      []Leftover
}

// Leftover is an operating system process that outlived the kill of a run.
type Leftover struct {
	Process process.ID
	process.Survivor
}

// String is the sentence that people look for.
func (e Ended) String() string {
	what := "processes"
	if e.Processes == 1 {
		what = "process"
	}
	return fmt.Sprintf("%d %s ended, %d left", e.Processes, what, len(e.Left))
}

// End kills processes, waits until they are dead and counts what ended. It asks
// for every end first and then waits for them, so that graces run at the same
// time. What cannot be killed is told to refused and does not stop the others.
func (c *Client) End(ctx context.Context, ids []process.ID, body api.Kill, refused func(error)) (Ended, error) {
	k := &killing{client: c, body: body}
	if err := k.mark(ctx); err != nil {
		return Ended{}, err
	}
	var trees []api.Tree
	for _, id := range ids {
		if t, err := k.look(ctx, id); err != nil {
			refused(err)
		} else {
			trees = append(trees, t)
		}
	}
	for i := range trees {
		if err := k.ask(ctx, &trees[i]); err != nil {
			refused(err)
		}
	}
	if err := k.wait(ctx); err != nil {
		return k.ended, err
	}
	err := k.count(ctx)
	return k.ended, err
}

// killing is one End on its way.
type killing struct {
	client *Client
	body   api.Kill
	active []process.ID // what was killed, and what dies with it
	cursor string       // of the events, from before
	ended  Ended
}

// mark takes note of where the events are.
func (k *killing) mark(ctx context.Context) error {
	now, err := k.client.AllEventsPage(ctx, EventFilter{}, "")
	k.cursor = cmp.Or(now.Next, "0")
	return err
}

// look finds out what would die with a process.
func (k *killing) look(ctx context.Context, id process.ID) (api.Tree, error) {
	t, err := k.client.Tree(ctx, id)
	if err != nil {
		return t, err
	}
	if t.State == process.Idle {
		return t, process.Errorf(process.CodeAlreadyIdle, "%s is not running", id)
	}
	if k.body.Tree != nil && !*k.body.Tree {
		t.Children = nil
	}
	return t, nil
}

func (k *killing) note(t *api.Tree) {
	if t.State != process.Idle && !slices.Contains(k.active, t.ID) {
		k.active = append(k.active, t.ID)
	}
	for i := range t.Children {
		k.note(&t.Children[i])
	}
}

// ask kills one and notes what dies with it. That it ended meanwhile is what was
// asked for; what was refused goes on, so that nobody waits for it.
func (k *killing) ask(ctx context.Context, t *api.Tree) error {
	if _, err := k.client.Kill(ctx, t.ID, k.body); err != nil && !errors.Is(err, process.ErrAlreadyIdle) {
		return err
	}
	k.ended.Named = append(k.ended.Named, t.ID)
	k.note(t)
	return nil
}

// wait waits for all that were killed.
func (k *killing) wait(ctx context.Context) error {
	for _, id := range k.active {
		rec, err := k.client.Wait(ctx, id)
		if errors.Is(err, process.ErrNotFound) { // deleted, so dead
			continue
		}
		if err != nil {
			return err
		}
		k.ended.Records = append(k.ended.Records, rec)
	}
	return nil
}

// count adds up how many processes each kill was about, less those that live.
func (k *killing) count(ctx context.Context) error {
	of, err := k.killed(ctx)
	if err != nil {
		return err
	}
	for _, id := range k.active {
		k.ended.Processes += max(1, of[id])
	}
	for i := range k.ended.Records {
		rec := &k.ended.Records[i]
		if rec.Outcome == nil {
			continue
		}
		for _, s := range rec.Outcome.Survivors {
			k.ended.Left = append(k.ended.Left, Leftover{rec.ID, s})
		}
	}
	k.ended.Processes = max(0, k.ended.Processes-len(k.ended.Left))
	return nil
}

// killed is how many processes lived in each tree when it was killed.
func (k *killing) killed(ctx context.Context) (map[process.ID]int, error) {
	of := map[process.ID]int{}
	for after := k.cursor; ; {
		page, err := k.client.AllEventsPage(ctx, EventFilter{Kind: process.KindCancelled}, after)
		if err != nil {
			return nil, err
		}
		for _, ev := range page.Events {
			if d, ok := ev.Data.(process.Cancelled); ok {
				of[ev.Process] = d.Processes
			}
		}
		if len(page.Events) == 0 || page.Next == after {
			return of, nil
		}
		after = page.Next
	}
}
