package peer

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
)

const isolatedVM = "isolated-vm"

// talker is a program that answers each line of JSON with one.
type talker struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func talk(cmd *exec.Cmd) (*talker, error) {
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	t := &talker{cmd, in, bufio.NewScanner(out)}
	t.out.Buffer(nil, 1<<24)
	return t, nil
}

// ask sends a question and decodes the answer. It is not for concurrent use.
func (t *talker) ask(ctx context.Context, question, answer any) error {
	stop := context.AfterFunc(ctx, func() { _ = t.cmd.Process.Kill() })
	defer stop()
	if err := json.NewEncoder(t.in).Encode(question); err != nil {
		return err
	}
	if !t.out.Scan() {
		return errors.Join(fmt.Errorf("%s ended without an answer", filepath.Base(t.cmd.Path)), t.out.Err(), ctx.Err())
	}
	var failed struct{ Error string }
	if err := json.Unmarshal(t.out.Bytes(), &failed); err != nil {
		return err
	}
	if failed.Error != "" {
		return errors.New(failed.Error)
	}
	return json.Unmarshal(t.out.Bytes(), answer)
}

// close ends the program by ending its input.
func (t *talker) close() error { return errors.Join(t.in.Close(), t.cmd.Wait()) }

// Isolated is npm's isolated-vm on Node, which runs each program in a fresh
// isolate in its own process, keeps nothing and speaks no HTTP.
type Isolated struct{ *talker }

// Isolated makes a subject of isolated-vm.
func (s *Set) Isolated(round func(context.Context, Isolated) (float64, error)) measure.Subject {
	return measure.Subject{Name: isolatedVM, Role: measure.Peer, Open: func(ctx context.Context) (measure.Instrument, error) {
		dir, err := s.npm(ctx, isolatedVM)
		if err != nil {
			return nil, skip(err)
		}
		t, err := talk(exec.Command("node", filepath.Join(dir, "run.js")))
		if err != nil {
			return nil, skip(err)
		}
		return guard(measure.Closing(func(ctx context.Context) (float64, error) { return round(ctx, Isolated{t}) }, t.close), nil)
	}}
}

// Took is how long programs took, in milliseconds.
type Took struct {
	Total float64
	Each  []float64
}

// Run runs a program so many times by so many workers.
func (i Isolated) Run(ctx context.Context, code string, runs, workers int) (took Took, err error) {
	err = i.ask(ctx, map[string]any{"code": code, "runs": runs, "workers": workers}, &took)
	return took, err
}

// Suspended has so many more programs wait, and returns what each adds to the
// process in kB.
func (i Isolated) Suspended(ctx context.Context, code string, n int) (float64, error) {
	before, err := lab.Proportional(i.cmd.Process.Pid)
	if err != nil {
		return 0, err
	}
	var kept struct{ Waiting int }
	if err := i.ask(ctx, map[string]any{"code": code, "suspend": n}, &kept); err != nil {
		return 0, err
	}
	after, err := lab.Proportional(i.cmd.Process.Pid)
	if err != nil {
		return 0, err
	}
	return float64(after-before) * 1.024 / float64(kept.Waiting), nil
}
