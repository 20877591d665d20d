package envfake

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// Agent is the fake of an environment whose runs go on from what they
// remembered: a script that is resumed begins after the line of its last
// message. The zero value is ready.
type Agent struct{ Env }

var _ env.Resumable = (*Agent)(nil)

// Resumable implements env.Resumable.
func (*Agent) Resumable() {}

// begin returns the line after which a script begins. A message's step is the
// line that remembered it.
func begin(ctx context.Context, in env.Input, h env.Host) (line int, err error) {
	if !in.Resume {
		return 0, nil
	}
	all, err := h.Transcript(ctx)
	if err != nil || len(all) == 0 {
		return 0, err
	}
	return all[len(all)-1].Step, nil
}

// tell plays what an agent tells its host.
func (p *player) tell(verb, arg string) (res env.Result, err error, over bool) {
	first, rest, _ := strings.Cut(arg, " ")
	switch verb {
	case "remember":
		err = p.h.Remember(p.ctx, process.Message{Step: p.line, Role: process.Role(first), Text: rest})
	case "recall":
		err = p.recall()
	case "step":
		var n int
		if n, err = strconv.Atoi(first); err == nil {
			p.h.Emit(process.StepStarted{Step: n})
		}
	case "spend":
		var n int64
		if n, err = strconv.ParseInt(first, 10, 64); err == nil {
			err = p.h.Spend(p.ctx, n)
		}
	}
	if p.ctx.Err() != nil || errors.Is(err, process.ErrBudget) {
		return env.Result{State: process.ExitCanceled}, nil, true
	}
	return res, err, err != nil
}

func (p *player) recall() error {
	all, err := p.h.Transcript(p.ctx)
	for _, m := range all {
		if err == nil {
			err = p.h.Write(process.Stdout, fmt.Appendf(nil, "%d %s: %s\n", m.Number, m.Role, m.Text))
		}
	}
	return err
}
