package envtest

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// Host is an env.Host that keeps what it is told and answers as it is told to.
// Set the functions before the run begins. Without OnCall there are no tools;
// without the others every child is unknown.
type Host struct {
	OnCall   func(ctx context.Context, service, tool string, params json.RawMessage) (json.RawMessage, error)
	OnSpawn  func(ctx context.Context, s process.Spec) (process.ID, error)
	OnAwait  func(ctx context.Context, child process.ID) (env.Ended, error)
	OnSignal func(ctx context.Context, child process.ID, s process.Signal) error
	OnCancel func(ctx context.Context, child process.ID) error
	OnRerun  func(ctx context.Context, child process.ID, a env.Again) (int, error)
	OnKids   func(ctx context.Context) ([]process.Process, error)
	OnRead   func(ctx context.Context, child process.ID, s process.Stream, offset int64, limit int) ([]byte, int64, bool, error)
	OnSpend  func(ctx context.Context, tokens int64) error

	Began chan struct{} // closed by Started
	once  sync.Once
	dir   string

	mu       sync.Mutex // guards what follows
	pid      int
	enforced process.Enforced
	chunks   map[process.Stream]*bytes.Buffer
	files    map[process.Stream]*os.File
	output   map[string]any
	calls    []Call
	spawned  []process.Spec
	signals  []Sent
	emitted  []process.Payload
	spent    int64
	messages []process.Message
	handlers map[process.Signal]func(process.Signal)
}

var _ env.Host = (*Host)(nil)

// Call is a tool call as the host was asked for it.
type Call struct {
	Service, Tool string
	Params        json.RawMessage
}

// Sent is a signal to a child as the host was asked for it.
type Sent struct {
	Child  process.ID
	Signal process.Signal
}

// NewHost makes a host whose files live as long as the test.
func NewHost(t *testing.T) *Host {
	h := &Host{Began: make(chan struct{}), dir: t.TempDir(),
		chunks: map[process.Stream]*bytes.Buffer{}, files: map[process.Stream]*os.File{}}
	t.Cleanup(func() {
		for _, f := range h.files {
			f.Close()
		}
	})
	return h
}

// Started notes the start.
func (h *Host) Started(pid int, e process.Enforced) {
	h.once.Do(func() {
		h.mu.Lock()
		h.pid, h.enforced = pid, e
		h.mu.Unlock()
		close(h.Began)
	})
}

// WasStarted reports whether Started was called.
func (h *Host) WasStarted() bool {
	select {
	case <-h.Began:
		return true
	default:
		return false
	}
}

// Start returns what Started was told.
func (h *Host) Start() (pid int, e process.Enforced) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.pid, h.enforced
}

// Exited does nothing.
func (h *Host) Exited(process.Exit) {}

// File is an append-only file.
func (h *Host) File(s process.Stream) (*os.File, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if f := h.files[s]; f != nil {
		return f, nil
	}
	f, err := os.OpenFile(h.dir+"/"+string(s), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		h.files[s] = f
	}
	return f, err
}

// Write keeps a chunk.
func (h *Host) Write(s process.Stream, chunk []byte) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.chunks[s] == nil {
		h.chunks[s] = &bytes.Buffer{}
	}
	h.chunks[s].Write(chunk)
	return nil
}

// Text is all that was written to a stream.
func (h *Host) Text(s process.Stream) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	text, _ := os.ReadFile(h.dir + "/" + string(s))
	if b := h.chunks[s]; b != nil {
		text = append(text, b.Bytes()...)
	}
	return string(text)
}

// Output merges data, key by key.
func (h *Host) Output(data map[string]any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.output == nil {
		h.output = map[string]any{}
	}
	maps.Copy(h.output, data)
}

// Data is the structured output so far.
func (h *Host) Data() map[string]any {
	h.mu.Lock()
	defer h.mu.Unlock()
	return maps.Clone(h.output)
}

// Call keeps the call and answers by OnCall.
func (h *Host) Call(ctx context.Context, service, tool string, params json.RawMessage) (json.RawMessage, error) {
	h.mu.Lock()
	h.calls = append(h.calls, Call{service, tool, slices.Clone(params)})
	h.mu.Unlock()
	if h.OnCall == nil {
		return nil, &process.ToolError{Code: process.ToolNotFound, Message: "there is no tool " + service + "/" + tool}
	}
	return h.OnCall(ctx, service, tool, params)
}

// Calls returns the tool calls so far, in order.
func (h *Host) Calls() []Call {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.calls)
}

// Spawn keeps the spec and answers by OnSpawn.
func (h *Host) Spawn(ctx context.Context, s process.Spec) (process.ID, error) {
	h.mu.Lock()
	h.spawned = append(h.spawned, s)
	h.mu.Unlock()
	if h.OnSpawn == nil {
		return 0, process.ErrNoEnvironment
	}
	return h.OnSpawn(ctx, s)
}

// SpawnWith is Spawn.
func (h *Host) SpawnWith(ctx context.Context, s process.Spec, _ any) (process.ID, error) {
	return h.Spawn(ctx, s)
}

// Spawned returns what Spawn was asked for so far, in order.
func (h *Host) Spawned() []process.Spec {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.spawned)
}

// Await answers by OnAwait.
func (h *Host) Await(ctx context.Context, child process.ID) (env.Ended, error) {
	if h.OnAwait == nil {
		return env.Ended{}, process.ErrNotFound
	}
	return h.OnAwait(ctx, child)
}

// Signal keeps the signal and answers by OnSignal.
func (h *Host) Signal(ctx context.Context, child process.ID, s process.Signal) error {
	h.mu.Lock()
	h.signals = append(h.signals, Sent{child, s})
	h.mu.Unlock()
	if h.OnSignal == nil {
		return process.ErrNotFound
	}
	return h.OnSignal(ctx, child, s)
}

// Signals returns what Signal was asked for so far, in order.
func (h *Host) Signals() []Sent {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.signals)
}

// Cancel answers by OnCancel.
func (h *Host) Cancel(ctx context.Context, child process.ID) error {
	if h.OnCancel == nil {
		return process.ErrNotFound
	}
	return h.OnCancel(ctx, child)
}

// Rerun answers by OnRerun.
func (h *Host) Rerun(ctx context.Context, child process.ID, a env.Again) (int, error) {
	if h.OnRerun == nil {
		return 0, process.ErrNotFound
	}
	return h.OnRerun(ctx, child, a)
}

// Children answers by OnKids; without it there are none.
func (h *Host) Children(ctx context.Context) ([]process.Process, error) {
	if h.OnKids == nil {
		return nil, nil
	}
	return h.OnKids(ctx)
}

// Read answers by OnRead.
func (h *Host) Read(ctx context.Context, child process.ID, s process.Stream, offset int64, limit int) ([]byte, int64, bool, error) {
	if h.OnRead == nil {
		return nil, 0, false, process.ErrNotFound
	}
	return h.OnRead(ctx, child, s, offset, limit)
}

// Emit keeps the payload.
func (h *Host) Emit(p process.Payload) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.emitted = append(h.emitted, p)
}

// Emitted returns what Emit was given so far, in order.
func (h *Host) Emitted() []process.Payload {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.emitted)
}

// Spend counts, and answers by OnSpend where it is set.
func (h *Host) Spend(ctx context.Context, tokens int64) error {
	h.mu.Lock()
	h.spent += tokens
	h.mu.Unlock()
	if h.OnSpend == nil {
		return nil
	}
	return h.OnSpend(ctx, tokens)
}

// Spent is the sum of all that was spent.
func (h *Host) Spent() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.spent
}

// Remember numbers the messages and keeps them.
func (h *Host) Remember(ctx context.Context, messages ...process.Message) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range messages {
		m.Number, m.Run, m.At = int64(len(h.messages)+1), 1, time.Now()
		h.messages = append(h.messages, m)
	}
	return ctx.Err()
}

// Transcript returns what was remembered.
func (h *Host) Transcript(ctx context.Context) ([]process.Message, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.messages), ctx.Err()
}

// Block does nothing: nobody signals the run by its host.
func (h *Host) Block(process.Signal) error { return nil }

// Unblock does nothing.
func (h *Host) Unblock(process.Signal) error { return nil }

// Handle keeps the handler; Raise calls it.
func (h *Host) Handle(s process.Signal, f func(process.Signal)) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.handlers == nil {
		h.handlers = map[process.Signal]func(process.Signal){}
	}
	h.handlers[s] = f
	return nil
}

// Raise calls the handler of a signal and reports whether there is one.
func (h *Host) Raise(s process.Signal) bool {
	h.mu.Lock()
	f := h.handlers[s]
	h.mu.Unlock()
	if f != nil {
		f(s)
	}
	return f != nil
}

// Timing is short.
func (h *Host) Timing() env.Timing {
	return env.Timing{Grace: time.Second, Drain: 100 * time.Millisecond}
}
