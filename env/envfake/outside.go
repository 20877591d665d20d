package envfake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// outside waits for what the host does, as for a gate: it can be paused,
// signalled and killed meanwhile. What f returns is printed.
func (p *player) outside(f func(context.Context) string) (env.Result, error, bool) {
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	var text string
	done := make(chan struct{})
	go func() {
		defer close(done)
		text = f(ctx)
	}()
	res, err, over := p.wait(forever, done)
	cancel()
	p.waitOnly(done)
	if over {
		return res, err, true
	}
	if p.ctx.Err() != nil { // which may be why the host has answered
		return env.Result{State: process.ExitCanceled}, nil, true
	}
	err = p.h.Write(process.Stdout, []byte(text))
	return res, err, err != nil
}

// call plays "call SERVICE TOOL [JSON]", n times side by side.
func (p *player) call(n int, arg string) (env.Result, error, bool) {
	service, rest, _ := strings.Cut(arg, " ")
	tool, params, _ := strings.Cut(rest, " ")
	return p.outside(func(ctx context.Context) string {
		lines := make([]string, n)
		var all sync.WaitGroup
		for i := range lines {
			all.Go(func() {
				result, err := p.h.Call(ctx, service, tool, json.RawMessage(params))
				lines[i] = string(result) + "\n"
				if te := (*process.ToolError)(nil); errors.As(err, &te) {
					lines[i] = te.Code + ": " + te.Message + "\n"
				} else if err != nil {
					lines[i] = "error: " + err.Error() + "\n"
				}
			})
		}
		all.Wait()
		return strings.Join(lines, "")
	})
}

// calls plays "calls N SERVICE TOOL [JSON]".
func (p *player) calls(arg string) (res env.Result, err error, over bool) {
	times, rest, _ := strings.Cut(arg, " ")
	n, err := strconv.Atoi(times)
	if err != nil {
		return res, err, true
	}
	return p.call(n, rest)
}

// spawn plays "spawn STEP; STEP; …".
func (p *player) spawn(arg string) (env.Result, error, bool) {
	code := strings.ReplaceAll(arg, "; ", "\n")
	return p.outside(func(ctx context.Context) string {
		id, err := p.h.Spawn(ctx, process.Spec{Environment: p.environment, Code: code,
			Options: process.Options{Budget: p.budget}})
		if err != nil {
			return "error: " + err.Error() + "\n"
		}
		p.child = id
		return fmt.Sprintf("child %d\n", id)
	})
}

// await plays "await [ID]".
func (p *player) await(arg string) (res env.Result, err error, over bool) {
	child, err := p.childOf(arg)
	if err != nil {
		return res, err, true
	}
	return p.outside(func(ctx context.Context) string {
		end, err := p.h.Await(ctx, child)
		if err != nil {
			return "error: " + err.Error() + "\n"
		}
		return fmt.Sprintf("ended %d %s\n%s%s", child, end.Process.ExitState, end.Stdout, end.Stderr)
	})
}

// signal plays "signal NAME [ID]".
func (p *player) signal(arg string) (res env.Result, err error, over bool) {
	name, id, _ := strings.Cut(arg, " ")
	s, err := process.ParseSignal(name)
	if err != nil {
		return res, err, true
	}
	child, err := p.childOf(id)
	if err != nil {
		return res, err, true
	}
	return p.outside(func(ctx context.Context) string {
		if err := p.h.Signal(ctx, child, s); err != nil {
			return "error: " + err.Error() + "\n"
		}
		return ""
	})
}

// childOf reads an id; without one it is the last child's.
func (p *player) childOf(id string) (process.ID, error) {
	if id == "" {
		return p.child, nil
	}
	return process.ParseID(id)
}
