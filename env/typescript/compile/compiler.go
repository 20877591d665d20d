package compile

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Config says how a compiler works; zero fields take the defaults given here.
type Config struct {
	Dialect    Dialect       // default Chrome136
	Executable string        // re-executed for workers. Default: this program
	Deadline   time.Duration // for one program. Default 5 s
	Workers    int           // at a time. Default 4
	CacheBytes int           // of compiled programs. Default 16 MiB
}

// Compiler compiles programs. Its methods are safe for concurrent use.
type Compiler struct {
	cfg   Config
	slots chan struct{} // one for each worker at work

	mu    sync.Mutex
	cache cache
	idle  []*worker
}

// New makes a compiler. Close it.
func New(c Config) (*Compiler, error) {
	if c.Dialect == "" {
		c.Dialect = Chrome136
	}
	if c.Executable == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find this program: %w", err)
		}
		c.Executable = self
	}
	c.Deadline = orDefault(c.Deadline, 5*time.Second)
	c.Workers = orDefault(c.Workers, 4)
	c.CacheBytes = orDefault(c.CacheBytes, 16<<20)
	return &Compiler{cfg: c, slots: make(chan struct{}, c.Workers), cache: newCache(c.CacheBytes)}, nil
}

func orDefault[T int | time.Duration](v, d T) T {
	if v == 0 {
		return d
	}
	return v
}

// Compile compiles a program, or finds it compiled. A source that is wrong is an
// *[Error]; so is one that takes too long or too much memory.
func (c *Compiler) Compile(ctx context.Context, source string) (*Program, error) {
	key := sha256.Sum256([]byte(source))
	c.mu.Lock()
	known, ok := c.cache.get(key)
	c.mu.Unlock()
	if ok {
		return known.result()
	}
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	a, err := c.work(ctx, source)
	if err != nil {
		return nil, err
	}
	if !a.unsure {
		c.mu.Lock()
		c.cache.put(key, a)
		c.mu.Unlock()
	}
	return a.result()
}

// Warm starts a worker, so that the first program does not wait for it.
func (c *Compiler) Warm(ctx context.Context) error {
	_, err := c.Compile(ctx, "let warm: number = 1; console.log(warm);")
	return err
}

func (a *answer) result() (*Program, error) {
	if a.Program == nil {
		return nil, &Error{Text: a.Error}
	}
	return a.Program, nil
}

// work has a worker compile source. One that was idle may have died; a second
// try is made with a new one.
func (c *Compiler) work(ctx context.Context, source string) (*answer, error) {
	for {
		w, fresh, err := c.take()
		if err != nil {
			return nil, err
		}
		a, err := w.compile(ctx, request{Source: source, Dialect: c.cfg.Dialect}, c.cfg.Deadline)
		if err == nil {
			c.give(w)
			return a, nil
		}
		w.kill()
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, context.DeadlineExceeded):
			return &answer{unsure: true, Error: fmt.Sprintf("%s: it could not be compiled within %s: simplify or split it", Name, c.cfg.Deadline)}, nil
		case fresh:
			return &answer{unsure: true, Error: Name + ": it could not be compiled: it is nested too deeply or too large"}, nil
		}
	}
}

// take returns a worker; fresh says that it was just started.
func (c *Compiler) take() (w *worker, fresh bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.idle); n > 0 {
		w, c.idle = c.idle[n-1], c.idle[:n-1]
		return w, false, nil
	}
	w, err = c.start()
	return w, true, err
}

func (c *Compiler) give(w *worker) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// One is enough to wait for what comes: each holds some 20 MB.
	if len(c.idle) > 0 {
		w.kill()
		return
	}
	c.idle = append(c.idle, w)
}

// Close ends the workers. Those at work are their callers' to end, by the
// context; it waits for them. To compile again starts another.
func (c *Compiler) Close() {
	for range cap(c.slots) {
		c.slots <- struct{}{}
	}
	c.mu.Lock()
	idle := c.idle
	c.idle = nil
	c.mu.Unlock()
	for _, w := range idle {
		w.kill()
	}
	for range cap(c.slots) {
		<-c.slots
	}
}

// worker is one process that compiles.
type worker struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *json.Decoder
}

func (c *Compiler) start() (*worker, error) {
	cmd := exec.Command(c.cfg.Executable)
	cmd.Env = []string{variable + "=1"}
	detach(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the compiler: %w", err)
	}
	return &worker{cmd: cmd, in: in, out: json.NewDecoder(bufio.NewReader(out))}, nil
}

// compile asks the worker. After an error it is of no more use.
func (w *worker) compile(ctx context.Context, q request, deadline time.Duration) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = w.cmd.Process.Kill() })
	defer stop()
	a := new(answer)
	err := json.NewEncoder(w.in).Encode(&q)
	if err == nil {
		err = w.out.Decode(a)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return a, err
}

func (w *worker) kill() {
	_ = w.in.Close()
	_ = w.cmd.Process.Kill()
	_ = w.cmd.Wait()
}
