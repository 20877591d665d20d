package kernel

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// maxGenerations bounds how deep below its first process a tree grows by what
// programs start. One that starts the next and ends is never many, and would
// never be over.
const maxGenerations = 32

// Spawn implements env.Host.
func (h *host) Spawn(ctx context.Context, s process.Spec) (process.ID, error) {
	return h.SpawnWith(ctx, s, nil)
}

// SpawnWith implements env.Host.
func (h *host) SpawnWith(ctx context.Context, s process.Spec, payload any) (process.ID, error) {
	p := h.p
	p.hear()
	if p.ended() {
		return 0, process.Errorf(process.CodeNotRunning, "process %d has ended: it starts no child", p.id)
	}
	s.Parent, s.Key = p.id, process.Key{}
	var err error
	if s.Options.Tools, err = narrowed(p.rec.Options.Tools, s.Options.Tools); err != nil {
		return 0, err
	}
	if n := p.generation; n >= maxGenerations {
		return 0, process.Errorf(process.CodeTooMany, "process %d is %d generations below the first of its tree: that is the limit", p.id, n)
	}
	if n := p.k.cfg.MaxTree; p.tree.Add(1) > int64(n) {
		p.tree.Add(-1)
		return 0, process.Errorf(process.CodeTooMany, "%d processes live in this tree: that is the limit; wait for some of them first", n)
	}
	id, err := p.k.Spawn(ctx, Request{Spec: s, Payload: payload, tree: p.tree})
	if id == 0 { // it did not come into the table
		p.tree.Add(-1)
	}
	if err != nil {
		return 0, err
	}
	return id, nil
}

// grants is how patterns begin that give a process rights the policy does not
// give by itself, so that a program must not give them to its child.
const grants = "reeve/spawn."

// narrowed returns the tools of a child that a program starts: never more than
// it has itself.
func narrowed(own, asked []string) ([]string, error) {
	if asked == nil {
		return own, nil
	}
	for _, a := range asked {
		if slices.Contains(own, a) || (own == nil || slices.ContainsFunc(own, func(o string) bool { return covers(o, a) })) &&
			!strings.HasPrefix(a, grants) {
			continue
		}
		return nil, process.Invalid("tools", "%q is more than the process that starts this one has", a)
	}
	return asked, nil
}

// covers reports whether the pattern o certainly matches all that a does.
func covers(o, a string) bool {
	if o == "*" || o == "*/*" {
		return true
	}
	service, tool, _ := strings.Cut(o, "/")
	return tool == "*" && !strings.ContainsAny(service, "*?") && strings.HasPrefix(a, service+"/")
}

// Await implements env.Host.
func (h *host) Await(ctx context.Context, child process.ID) (env.Ended, error) {
	p := h.p
	if err := h.own(ctx, child); err != nil {
		return env.Ended{}, err
	}
	e := &errand{}
	ctx, err := p.setOut(ctx, e)
	if err != nil {
		return env.Ended{}, err
	}
	defer p.comeBack(e, nil)
	rec, err := p.k.wait(ctx, child)
	if err != nil {
		return env.Ended{}, err
	}
	ended := env.Ended{Process: rec}
	ended.Stdout, ended.Stderr, err = p.k.Tails(rec)
	return ended, err
}

// Signal implements env.Host.
func (h *host) Signal(ctx context.Context, child process.ID, s process.Signal) error {
	if err := h.own(ctx, child); err != nil {
		return err
	}
	if s == process.SIGKILL {
		return h.p.k.kill(ctx, child, KillOptions{Now: true})
	}
	_, err := h.p.k.signal(ctx, child, s, SignalOptions{})
	return err
}

// Cancel implements env.Host.
func (h *host) Cancel(ctx context.Context, child process.ID) error {
	if err := h.own(ctx, child); err != nil {
		return err
	}
	return h.p.k.kill(ctx, child, KillOptions{})
}

// Rerun implements env.Host.
func (h *host) Rerun(ctx context.Context, child process.ID, a env.Again) (int, error) {
	if err := h.own(ctx, child); err != nil {
		return 0, err
	}
	return h.p.k.run(ctx, child, RunOptions{Force: true, again: a})
}

// Children implements env.Host.
func (h *host) Children(ctx context.Context) (all []process.Process, err error) {
	q := process.Query{Parent: h.p.id, Limit: process.MaxLimit, NoCode: true}
	for more := true; more; more = q.Cursor != "" {
		page, err := h.p.k.Processes(ctx, q)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Processes...)
		q.Cursor = page.Next
	}
	slices.Reverse(all) // oldest first
	return all, nil
}

// Read implements env.Host.
func (h *host) Read(ctx context.Context, child process.ID, s process.Stream, offset int64, limit int) (data []byte, next int64, over bool, err error) {
	if err := h.own(ctx, child); err != nil {
		return nil, 0, false, err
	}
	rec, err := h.p.k.Process(ctx, child)
	if err != nil {
		return nil, 0, false, err
	}
	idle := rec.State == process.Idle
	stream := StreamOf(s)
	o, err := h.p.k.openRun(child, &rec.Run)
	if errors.Is(err, process.ErrNotKept) {
		return nil, offset, idle, nil // nothing was written yet, or it is not kept
	}
	if err != nil {
		return nil, 0, false, err
	}
	defer o.Close()
	from := max(0, offset)
	for _, hole := range o.Holes(stream) {
		if from >= hole.From && from < hole.To {
			from = hole.To
		}
	}
	end := o.Size(stream)
	data = make([]byte, max(0, min(end-from, int64(limit))))
	n, _ := o.ReadAt(stream, data, from)
	next = from + int64(n)
	return data[:n], next, idle && next >= end, nil
}

// own returns nil for a child of this process; all others are unknown to it. A run
// that is left to the next host has no more to do with its children here.
func (h *host) own(ctx context.Context, child process.ID) error {
	h.p.hear()
	if h.p.isLeft() {
		return process.ErrClosed
	}
	rec, err := h.p.k.Process(ctx, child)
	if err != nil {
		return err
	}
	if rec.Parent != h.p.id {
		return process.Errorf(process.CodeNotFound, "process %d has no child %d", h.p.id, child)
	}
	return nil
}
