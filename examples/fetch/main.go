// Fetch gives Reeve an environment of its own, in which the code of a
// process is a URL that is fetched. Docs: environments.md.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// fetch is an environment whose runs are GET requests.
type fetch struct {
	mu   sync.Mutex
	ends map[process.ID]context.CancelFunc // by the runs that are under way
}

func (f *fetch) Setup(context.Context) error    { return nil }
func (f *fetch) Teardown(context.Context) error { return nil } // the host has ended all runs by then
func (f *fetch) Docs() string                   { return "The code is a URL. It is fetched, and the body is the output." }

// Execute is one run, from its start to its end. The host cancels ctx when it is
// killed or its time is over, and knows which; an error is why it failed.
func (f *fetch) Execute(ctx context.Context, in env.Input, h env.Host) (env.Result, error) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	f.note(in.EID, end)
	defer f.note(in.EID, nil)
	h.Started(0, process.Enforced{})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, in.Spec.Code, nil)
	if err != nil {
		return env.Result{}, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return env.Result{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return env.Result{}, err
	}
	h.Output(map[string]any{"status": resp.StatusCode})
	return env.Result{State: process.ExitSuccess}, h.Write(process.Stdout, body)
}

// Kill ends a run that did not end by itself.
func (f *fetch) Kill(eid process.ID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if end := f.ends[eid]; end != nil {
		end()
	}
}

func (f *fetch) note(eid process.ID, end context.CancelFunc) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ends[eid] = end; end == nil {
		delete(f.ends, eid)
	}
}

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "fetch:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("give one URL")
	}
	rt, err := reeve.Open(ctx, reeve.Config{Environments: map[string]reeve.Environment{
		"fetch": &fetch{ends: map[process.ID]context.CancelFunc{}},
	}})
	if err != nil {
		return err
	}
	defer rt.Close()
	p, err := rt.Spawn(ctx, reeve.In("fetch", args[0]))
	if err != nil {
		return err
	}
	if _, err := p.Wait(ctx); err != nil {
		return err
	}
	if _, err := rt.WriteOutput(ctx, os.Stdout, p.ID(), 0, reeve.Stdout); err != nil {
		return err
	}
	rec, err := p.Process(ctx)
	if err == nil && rec.Error != "" {
		err = fmt.Errorf("process %d: %s", rec.ID, rec.Error)
	}
	return err
}
