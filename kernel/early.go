package kernel

import (
	"context"
	"encoding/json"
	"os"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// earlyHost is the host of a run that began while its creation was being
// stored. What would leave a trace waits until it is: a run that was never
// created has done nothing.
type earlyHost struct {
	*host
	born <-chan struct{}
}

var _ env.Host = (*earlyHost)(nil)

// host returns the run's side of the environment contract.
func (p *proc) host() env.Host {
	h := &host{p}
	if p.born == nil {
		return &tracedHost{h, p}
	}
	return &tracedHost{&earlyHost{h, p.born}, p}
}

// mayStartEarly reports whether a run may begin before its creation is stored.
func (p *proc) mayStartEarly() bool {
	_, enclosed := p.env.Environment.Environment.(env.Enclosed)
	return enclosed
}

// exist waits until the run's creation is stored. It is process.ErrClosed if it
// could not be.
func (h *earlyHost) exist() error {
	<-h.born
	if h.p.unborn.Load() {
		return process.ErrClosed
	}
	return nil
}

func (h *earlyHost) File(s process.Stream) (*os.File, error) {
	if err := h.exist(); err != nil {
		return nil, err
	}
	return h.host.File(s)
}

func (h *earlyHost) Write(s process.Stream, chunk []byte) error {
	if err := h.exist(); err != nil {
		return err
	}
	return h.host.Write(s, chunk)
}

func (h *earlyHost) Output(data map[string]any) {
	if h.exist() == nil {
		h.host.Output(data)
	}
}

func (h *earlyHost) Call(ctx context.Context, service, tool string, params json.RawMessage) (json.RawMessage, error) {
	if err := h.exist(); err != nil {
		return nil, err
	}
	return h.host.Call(ctx, service, tool, params)
}

func (h *earlyHost) Spawn(ctx context.Context, s process.Spec) (process.ID, error) {
	if err := h.exist(); err != nil {
		return 0, err
	}
	return h.host.Spawn(ctx, s)
}

func (h *earlyHost) Await(ctx context.Context, child process.ID) (env.Ended, error) {
	if err := h.exist(); err != nil {
		return env.Ended{}, err
	}
	return h.host.Await(ctx, child)
}

func (h *earlyHost) SpawnWith(ctx context.Context, s process.Spec, payload any) (process.ID, error) {
	if err := h.exist(); err != nil {
		return 0, err
	}
	return h.host.SpawnWith(ctx, s, payload)
}

func (h *earlyHost) Cancel(ctx context.Context, child process.ID) error {
	if err := h.exist(); err != nil {
		return err
	}
	return h.host.Cancel(ctx, child)
}

func (h *earlyHost) Rerun(ctx context.Context, child process.ID, a env.Again) (int, error) {
	if err := h.exist(); err != nil {
		return 0, err
	}
	return h.host.Rerun(ctx, child, a)
}

func (h *earlyHost) Remember(ctx context.Context, messages ...process.Message) error {
	if err := h.exist(); err != nil {
		return err
	}
	return h.host.Remember(ctx, messages...)
}

func (h *earlyHost) Signal(ctx context.Context, child process.ID, s process.Signal) error {
	if err := h.exist(); err != nil {
		return err
	}
	return h.host.Signal(ctx, child, s)
}
