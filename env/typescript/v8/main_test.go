//go:build cgo && linux && (amd64 || arm64)

package v8

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/reeverun/reeve/env/typescript/engine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	mib      = 1 << 20
	patience = 30 * time.Second
)

//go:embed testdata/prelude.js
var testPrelude string

func startEngine(tb testing.TB, c Config) *Engine {
	tb.Helper()
	if c.Prelude == "" {
		c.Prelude = testPrelude
	}
	e := New(c)
	tb.Cleanup(func() {
		if err := e.Close(); err != nil {
			tb.Error(err)
		}
	})
	if err := e.Start(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return e
}

func takeChild(tb testing.TB, e *Engine, o engine.Options) *child {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, err := e.Child(ctx, o)
	if err != nil {
		tb.Fatal(err)
	}
	return c.(*child)
}

// ran is what a program did.
type ran struct {
	stdout string
	output map[string]any
	errMsg string
	kind   string
	failed bool
	done   bool
	exit   engine.Exit
}

// program wraps the body of a program as the environment does.
func program(body string) engine.Script {
	return engine.Script{HeapBytes: 128 * mib, Name: "program.ts", Code: "(async function () {" + body + "\n})", Meta: "{}"}
}

// run runs a program to its end; calls are answered with their parameters.
func run(tb testing.TB, e *Engine, s engine.Script) ran {
	tb.Helper()
	return drive(tb, takeChild(tb, e, engine.Options{}), s)
}

func drive(tb testing.TB, c *child, s engine.Script) ran {
	tb.Helper()
	defer c.Close()
	give(tb, c, s)
	r, err := follow(c)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func give(tb testing.TB, c *child, s engine.Script) {
	tb.Helper()
	if _, err := c.Write(engine.AppendScript(nil, &s)); err != nil {
		tb.Fatal(err)
	}
}

// follow reads a child's frames to the end and waits for it.
func follow(c *child) (ran, error) {
	var r ran
	_ = c.channel.SetReadDeadline(time.Now().Add(4 * patience))
	for frames := engine.NewReader(c); ; {
		t, payload, err := frames.Next()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return r, err
		}
		if err := r.take(c, t, payload); err != nil {
			return r, err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var err error
	r.exit, err = c.Wait(ctx)
	return r, err
}

func (r *ran) take(c *child, t engine.Type, payload []byte) error {
	switch t {
	case engine.TypeStdout:
		r.stdout += string(payload)
	case engine.TypeOutput:
		return json.Unmarshal(payload, &r.output)
	case engine.TypeCall:
		return answer(c, payload)
	case engine.TypeDone:
		r.done = true
	case engine.TypeError:
		var e struct{ Message, Kind string }
		if err := json.Unmarshal(payload, &e); err != nil {
			return err
		}
		r.failed, r.errMsg, r.kind = true, e.Message, e.Kind
	}
	return nil
}

func answer(c *child, payload []byte) error {
	var call struct {
		ID     int64           `json:"id"`
		Params json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(payload, &call); err != nil {
		return err
	}
	b, err := json.Marshal(map[string]any{"id": call.ID, "ok": true, "value": call.Params})
	if err != nil {
		return err
	}
	_, err = c.Write(engine.AppendFrame(nil, engine.TypeResult, b))
	return err
}

func wantDone(tb testing.TB, r ran, stdout string) {
	tb.Helper()
	if !r.done || r.failed || r.exit.Code != 0 || r.stdout != stdout {
		tb.Fatalf("got %+v, want done with output %q", r, stdout)
	}
}

// threads counts those of this process.
func threads(tb testing.TB) int {
	tb.Helper()
	entries, err := os.ReadDir("/proc/self/task")
	if err != nil {
		tb.Fatal(err)
	}
	return len(entries)
}
