// Package enginetest is the behaviour of the sandbox as one suite: every engine
// runs it, with the real prelude and real children. Programs are JavaScript as
// the compiler would give it to a child: an expression that is an async function.
//
// An engine's test calls [Run], and dispatches children in its TestMain if it
// starts this test binary for them.
package enginetest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reeverun/reeve/env/typescript/engine"
)

// patience is how long anything may take on a machine under load. No test waits
// for it to pass.
const patience = 60 * time.Second

// Run runs the suite. open returns an engine that is not started.
func Run(t *testing.T, open func() engine.Engine) {
	e := open()
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	if err := e.Start(t.Context()); err != nil {
		t.Fatalf("Start: %v", err)
	}
	t.Logf("%+v", e.Info())
	t.Run("programs", func(t *testing.T) { testPrograms(t, e) })
	t.Run("calls", func(t *testing.T) { testCalls(t, e) })
	t.Run("signals", func(t *testing.T) { testSignals(t, e) })
	t.Run("stacks", func(t *testing.T) { testStacks(t, e) })
	t.Run("hostile", func(t *testing.T) { testHostile(t, e) })
	t.Run("bombs", func(t *testing.T) { testBombs(t, e) })
	t.Run("children", func(t *testing.T) { testChildren(t, e, open) })
}

// program is what a child is given.
type program struct {
	code  string
	meta  engine.Meta
	heap  uint64
	cpuMS uint64
}

// call is a call that a program made.
type call struct {
	ID      int64           `json:"id"`
	Op      string          `json:"op"`
	Service string          `json:"service"`
	Tool    string          `json:"tool"`
	Params  json.RawMessage `json:"params"`
	Request json.RawMessage `json:"request"`
	Process int64           `json:"process"`
	Signal  string          `json:"signal"`
}

// result is all that came from a child.
type result struct {
	stdout, stderr strings.Builder
	outputs        []string
	calls          []call
	aware          bool
	usage          *engine.Usage
	done           bool
	failure        *failure
	largest        int // frame
	exit           engine.Exit
}

type failure struct{ Message, Kind string }

// session is a child with its program running.
type session struct {
	t     *testing.T
	child engine.Child
	write sync.Mutex
	// onCall, if set, is called for each call, in the goroutine that reads.
	onCall func(call)
	// onFrame, if set, is called for each frame.
	onFrame func(engine.Type, string)
}

func begin(t *testing.T, e engine.Engine, p program) *session {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	child, err := e.Child(ctx, engine.Options{})
	if err != nil {
		t.Fatalf("Child: %v", err)
	}
	t.Cleanup(func() { child.Close() })
	s := &session{t: t, child: child}
	if p.heap == 0 {
		p.heap = 128 << 20
	}
	p.meta.ID, p.meta.Run = 7, 3
	meta, err := json.Marshal(p.meta)
	if err != nil {
		t.Fatal(err)
	}
	script := &engine.Script{HeapBytes: p.heap, CPUMS: p.cpuMS, Name: "program.ts", Code: p.code, Meta: string(meta)}
	if _, err := child.Write(engine.AppendScript(nil, script)); err != nil {
		t.Fatalf("write the script: %v", err)
	}
	return s
}

// send writes a frame to the child; one that has ended takes none.
func (s *session) send(t engine.Type, payload string) {
	s.write.Lock()
	defer s.write.Unlock()
	_, _ = s.child.Write(engine.AppendFrame(nil, t, []byte(payload)))
}

// answer answers a call with a JSON value.
func (s *session) answer(id int64, value string) {
	text, err := json.Marshal(map[string]any{"id": id, "ok": true, "value": json.RawMessage(value)})
	if err != nil {
		s.t.Errorf("answer: %v", err)
	}
	s.send(engine.TypeResult, string(text))
}

// refuse answers a call with an error.
func (s *session) refuse(id int64, message, code string) {
	text, err := json.Marshal(map[string]any{"id": id, "ok": false, "error": map[string]string{"message": message, "code": code}})
	if err != nil {
		s.t.Errorf("refuse: %v", err)
	}
	s.send(engine.TypeResult, string(text))
}

// end reads until the child has ended.
func (s *session) end() *result {
	s.t.Helper()
	timer := time.AfterFunc(patience, func() {
		s.t.Errorf("the child did not end within %v", patience)
		s.child.Kill()
	})
	defer timer.Stop()
	r := &result{}
	frames := engine.NewReader(s.child)
	for {
		t, payload, err := frames.Next()
		if err != nil {
			if err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
				s.t.Errorf("read: %v", err)
			}
			break
		}
		s.take(r, t, string(payload))
	}
	exit, err := s.child.Wait(context.Background())
	if err != nil {
		s.t.Errorf("Wait: %v", err)
	}
	r.exit = exit
	return r
}

func (s *session) take(r *result, t engine.Type, payload string) {
	r.largest = max(r.largest, len(payload))
	last := t == engine.TypeDone || t == engine.TypeError
	if r.done || r.failure != nil || r.usage != nil && !last {
		s.t.Errorf("frame %c after the last one: %.200q", t, payload)
	}
	if t == engine.TypeDone && (r.usage == nil || r.usage.CPUMicros <= 0) {
		s.t.Errorf("no usage before the last frame: %+v", r.usage)
	}
	switch t {
	case engine.TypeStdout:
		r.stdout.WriteString(payload)
	case engine.TypeStderr:
		r.stderr.WriteString(payload)
	case engine.TypeOutput:
		r.outputs = append(r.outputs, payload)
	case engine.TypeAware:
		r.aware = true
	case engine.TypeUsage:
		r.usage = &engine.Usage{}
		if err := json.Unmarshal([]byte(payload), r.usage); err != nil {
			s.t.Errorf("usage frame: %v", err)
		}
	case engine.TypeDone:
		r.done = true
	case engine.TypeError:
		r.failure = &failure{}
		if err := json.Unmarshal([]byte(payload), r.failure); err != nil {
			s.t.Errorf("error frame: %v", err)
		}
	case engine.TypeCall:
		var c call
		if err := json.Unmarshal([]byte(payload), &c); err != nil {
			s.t.Errorf("call frame: %v", err)
		}
		r.calls = append(r.calls, c)
		if s.onCall != nil {
			s.onCall(c)
		}
	default:
		s.t.Errorf("unknown frame %q", t)
	}
	if s.onFrame != nil {
		s.onFrame(t, payload)
	}
}

// run runs a program from its begin to its end.
func run(t *testing.T, e engine.Engine, p program) *result {
	t.Helper()
	return begin(t, e, p).end()
}

// body makes a program of the statements of its main function.
func body(code string) program { return program{code: "(async function () {\n" + code + "\n})"} }

// succeeded fails the test unless the program reached its end.
func (r *result) succeeded(t *testing.T) {
	t.Helper()
	if !r.done || r.exit.Code != 0 {
		t.Errorf("the program did not succeed: error %+v, exit %+v, stderr %.2000q", r.failure, r.exit, r.stderr.String())
	}
}
