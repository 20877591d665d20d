package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/reeverun/reeve/process"
)

// Check says what the policy wants of a call, once its tool is found and its
// parameters match. A denied call is both a Deny and an error of code denied,
// which names the rule.
func (r *Registry) Check(ctx context.Context, c process.ToolCall) (process.Permission, error) {
	v := r.cfg.Policy.Permission(c.Service, c.Tool, c.Allowed)
	if v.Permission == process.Deny {
		return process.Deny, Errorf(process.ToolDenied, "the policy does not allow %s/%s (%s)", Clip(c.Service, 100), Clip(c.Tool, 100), v.Why)
	}
	if isSpawn(c.Service, c.Tool) {
		return v.Permission, nil
	}
	t, err := r.find(ctx, c.Service, c.Tool)
	if err != nil {
		return process.Deny, err
	}
	if len(c.Params) > r.cfg.MaxParams {
		return process.Deny, Errorf(process.ToolInvalid, "the parameters of %s/%s have %d bytes: %d are allowed", c.Service, c.Tool, len(c.Params), r.cfg.MaxParams)
	}
	if err := r.checkParams(ctx, t, object(c.Params)); ctx.Err() != nil {
		return process.Deny, context.Cause(ctx)
	} else if err != nil {
		return process.Deny, Errorf(process.ToolInvalid, "invalid parameters for %s/%s: %s", c.Service, c.Tool, err)
	}
	return v.Permission, nil
}

// largeParams are those that are read few at a time: to read them takes some
// thirty times their bytes, and a program can send hundreds at once.
const largeParams = 64 << 10

func (r *Registry) checkParams(ctx context.Context, t *listed, params json.RawMessage) error {
	if len(params) > largeParams {
		select {
		case r.reading <- struct{}{}:
			defer func() { <-r.reading }()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return t.schema().check(params)
}

// object reads absent parameters as an empty object.
func object(params json.RawMessage) json.RawMessage {
	if trimmed := bytes.TrimSpace(params); len(trimmed) == 0 || bytes.Equal(trimmed, []byte("null")) {
		return json.RawMessage("{}")
	}
	return params
}

// find looks a tool up. Only a service that was never connected is waited for.
func (r *Registry) find(ctx context.Context, service, tool string) (*listed, error) {
	if s := r.service(service); s != nil && s.listing() == nil {
		if err := s.await(ctx); err != nil {
			return nil, err
		}
	}
	return r.lookup(service, tool)
}

// lookup finds a tool among what is known.
func (r *Registry) lookup(service, tool string) (*listed, error) {
	if service == Builtin {
		if tool == r.builtin.Name {
			return r.builtin, nil
		}
		return nil, Errorf(process.ToolNotFound, "there is no tool %s/%s: the only one there is %s", Builtin, Clip(tool, 100), r.builtin.Name)
	}
	s := r.service(service)
	if s == nil {
		return nil, Errorf(process.ToolNotFound, "there is no service %s: %s", Clip(service, 100), r.known())
	}
	l := s.listing()
	if l == nil {
		return nil, s.unavailable()
	}
	if t := l.byName[tool]; t != nil {
		return t, nil
	}
	return nil, Errorf(process.ToolNotFound, "the service %s has no tool %s: %s", service, Clip(tool, 100), l.known())
}

func (r *Registry) known() string {
	names := []string{Builtin}
	for _, s := range r.all() {
		names = append(names, s.name)
	}
	return "known are " + some(names)
}

func (l *listing) known() string {
	if len(l.order) == 0 {
		return "it has none"
	}
	var names []string
	for _, t := range l.order {
		names = append(names, t.Name)
	}
	return "it has " + some(names)
}

// some joins the first names.
func some(names []string) string {
	const most = 20
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// Call performs a call that Check has passed; it asks no policy. A service that
// is not connected gets one more attempt. The result is one JSON value.
func (r *Registry) Call(ctx context.Context, c process.ToolCall) (json.RawMessage, error) {
	if c.Service == Builtin {
		return r.callBuiltin(ctx, c)
	}
	if _, err := r.find(ctx, c.Service, c.Tool); err != nil {
		return nil, err
	}
	s := r.service(c.Service)
	result, connection, err := r.try(ctx, s, c)
	if errors.Is(err, ErrNotSent) {
		s.lose(connection, err) // so that it is connected anew
		result, _, err = r.try(ctx, s, c)
	}
	if err != nil {
		return nil, s.toolError(ctx, c.Tool, err)
	}
	return checkResult(c, result, r.cfg.MaxResult)
}

var errCallTooLong = errors.New("the call took too long")

// try performs a call in a goroutine that [Registry.Close] waits for, so that a
// tool that ignores its context keeps nobody waiting. It also says which
// connection it used.
func (r *Registry) try(ctx context.Context, s *service, c process.ToolCall) (json.RawMessage, int, error) {
	connection, err := s.connected(ctx)
	if err != nil {
		return nil, 0, err
	}
	if why := s.left.tooMany(); why != "" {
		s.lose(connection, errors.New(why))
		return nil, connection, unavailable(s.name, why)
	}
	if !r.calls.enter() {
		return nil, 0, unavailable(s.name, "the runtime is shutting down")
	}
	ctx, cancel := s.withTimeout(ctx)
	defer cancel()
	answers := make(chan answer, 1)
	waited, performed := s.left.begin()
	defer waited()
	go func() {
		defer r.calls.leave()
		defer performed() // also for a tool that ends its goroutine
		a := s.perform(ctx, c.Tool, object(c.Params))
		performed() // before its caller can be through
		answers <- a
	}()
	select {
	case a := <-answers:
		given := a.err != nil && ctx.Err() != nil
		if s.left.answered(!given); given {
			a.err = context.Cause(ctx)
		}
		return a.result, connection, a.err
	case <-ctx.Done():
		s.left.answered(false)
		return nil, connection, context.Cause(ctx)
	case <-r.dead:
		return nil, connection, unavailable(s.name, "the runtime is shutting down")
	}
}

type answer struct {
	result json.RawMessage
	err    error
}

func (s *service) withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.timeout < 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, s.timeout, errCallTooLong)
}

func (s *service) perform(ctx context.Context, tool string, params json.RawMessage) (a answer) {
	defer func() {
		if p := recover(); p != nil {
			a = answer{err: fmt.Errorf("the adapter panicked: %v", p)}
		}
	}()
	result, err := s.adapter.Call(ctx, tool, params)
	return answer{result, err}
}
