package rows

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
	"github.com/reeverun/reeve/env/agent"
	"github.com/reeverun/reeve/env/agent/model"
	"github.com/reeverun/reeve/process"
)

// parkedAgents has many agents in one durable process table. Each has begun and
// asked its model, and is then parked at the gate before its step by one signal
// to the whole tree.
func parkedAgents(l *lab.Lab) measure.Row {
	n := l.Size(10_000, 200)
	return measure.Row{
		ID: "parked-agents", Title: "memory of a paused agent, each of " + grouped(n), Unit: "kB", Better: measure.Lower, Rounds: 3,
		Subjects: []measure.Subject{
			{Name: "goroutine", Role: measure.Floor, Open: always(func(context.Context) (float64, error) { return bareGoroutine(n), nil })},
			{Name: "agent", Role: measure.Reeve, Open: always(func(ctx context.Context) (float64, error) { return parkAgents(ctx, l, n) })},
		},
	}
}

// silentModel never answers: whoever asks it waits.
type silentModel struct{}

func (silentModel) Complete(ctx context.Context, _ *model.Request, _ func(string)) (*model.Answer, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

func (silentModel) Close() {}

func parkAgents(ctx context.Context, l *lab.Lab, n int) (_ float64, err error) {
	dir, err := l.Scratch()
	if err != nil {
		return 0, err
	}
	rt, err := reeve.Open(ctx, reeve.Config{Dir: dir, Environments: map[string]reeve.Environment{
		process.EnvAgent: agent.New(agent.Config{Models: map[string]model.Model{agent.OpenAI: silentModel{}}, Model: "silent"}),
	}})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rt.Close()) }()
	root, err := rt.Spawn(ctx, reeve.Agent("the first"))
	if err != nil {
		return 0, err
	}
	before := inUse()
	err = lab.Together(n, 32, func() error {
		_, err := rt.Spawn(ctx, reeve.Agent("wait").Parent(root.ID()))
		return err
	})
	if err != nil {
		return 0, err
	}
	reached, err := rt.Signal(ctx, root.ID(), process.SIGPAUSE, reeve.SignalOptions{Tree: true, Now: true})
	if err == nil && reached != n+1 {
		err = fmt.Errorf("the signal reached %d agents of %d", reached, n+1)
	}
	if err != nil {
		return 0, err
	}
	after := inUse()
	return float64(after-before) / float64(n) / 1e3, nil
}

// bareGoroutine is a goroutine that waits for a channel, in kB.
func bareGoroutine(n int) float64 {
	wait := make(chan struct{})
	before := inUse()
	var begun, all sync.WaitGroup
	begun.Add(n)
	for range n {
		all.Go(func() {
			begun.Done()
			<-wait
		})
	}
	begun.Wait()
	after := inUse()
	close(wait)
	all.Wait()
	return float64(after-before) / float64(n) / 1e3
}

// inUse is what this program holds, in bytes.
func inUse() int64 {
	runtime.GC()
	runtime.GC() // what the first one found to be finalised
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}
