package typescript_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/envtest"
	"github.com/reeverun/reeve/env/typescript"
	"github.com/reeverun/reeve/env/typescript/engine"
	"github.com/reeverun/reeve/process"
)

// liar is an engine whose children say what a test wants, as one would that
// somebody has taken over.
type liar struct {
	say func(c net.Conn) // on the child's side; the child ends when it returns
}

func (l *liar) Info() engine.Info           { return engine.Info{Name: "liar", TreeKill: "none"} }
func (l *liar) Start(context.Context) error { return nil }
func (l *liar) Close() error                { return nil }
func (l *liar) Child(context.Context, engine.Options) (engine.Child, error) {
	ours, theirs := net.Pipe()
	c := &lyingChild{Conn: ours, theirs: theirs, over: make(chan struct{})}
	go func() {
		defer c.end(engine.Exit{})
		l.say(theirs)
	}()
	return c, nil
}

type lyingChild struct {
	net.Conn
	theirs net.Conn
	once   sync.Once
	over   chan struct{}
	exit   engine.Exit
}

func (c *lyingChild) end(x engine.Exit) {
	c.once.Do(func() {
		c.exit = x
		c.theirs.Close()
		close(c.over)
	})
}
func (c *lyingChild) PID() int                   { return 7 }
func (c *lyingChild) Kill()                      { c.end(engine.Exit{Code: -1, Signal: "SIGKILL"}) }
func (c *lyingChild) Stop(context.Context) error { return nil }
func (c *lyingChild) Continue() error            { return nil }
func (c *lyingChild) Wait(context.Context) (engine.Exit, error) {
	<-c.over
	return c.exit, nil
}

// stage is an environment of liars.
type stage struct {
	env  *typescript.Env
	liar liar
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := new(stage)
	s.env = typescript.New(typescript.Config{Engines: []typescript.Engine{{New: func() engine.Engine { return &s.liar }}}})
	if err := s.env.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.env.Narrow()
	t.Cleanup(func() { _ = s.env.Teardown(context.Background()) })
	return s
}

func (s *stage) lie(t *testing.T, h env.Host, limits process.Limits, say func(c net.Conn)) (env.Result, error) {
	t.Helper()
	s.liar.say = say
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return s.env.Execute(ctx, env.Input{EID: 1, Run: 1, Spec: &process.Spec{Options: process.Options{Limits: limits}}}, h)
}

// aftermath reads the script, says all that was prepared, and then reads on.
func aftermath(frames ...[]byte) func(net.Conn) {
	return func(c net.Conn) {
		if _, _, err := engine.NewReader(c).Next(); err != nil {
			return
		}
		go func() { _, _ = c.Write(bytes.Join(frames, nil)) }()
		_, _ = io.Copy(io.Discard, c)
	}
}

func frame(t engine.Type, payload string) []byte { return engine.AppendFrame(nil, t, []byte(payload)) }

func TestLiesEndTheLiar(t *testing.T) {
	s := newStage(t)
	call := frame(engine.TypeCall, `{"id":1,"op":"tool","service":"a","tool":"b"}`)
	for name, c := range map[string]struct {
		limits process.Limits
		frames []byte
		want   string
	}{
		"a type nobody knows":     {frames: frame('?', ""), want: "broke its channel"},
		"a frame of its parent":   {frames: frame(engine.TypeScript, ""), want: "broke its channel"},
		"a frame too long":        {frames: []byte{0xff, 0xff, 0xff, 0x7f, 'O'}, want: "broke its channel"},
		"a frame without type":    {frames: []byte{0, 0, 0, 0}, want: "broke its channel"},
		"output that is none":     {frames: frame(engine.TypeOutput, `[1]`), want: "broke its channel"},
		"output nested deeply":    {frames: frame(engine.TypeOutput, `{"a":`+strings.Repeat("[", 1<<20)+strings.Repeat("]", 1<<20)+"}"), want: "broke its channel"},
		"a call that is none":     {frames: frame(engine.TypeCall, `nonsense`), want: "broke its channel"},
		"an error that is none":   {frames: frame(engine.TypeError, `[`), want: "broke its channel"},
		"much structured output":  {frames: bytes.Repeat(frame(engine.TypeOutput, `{"a":"`+strings.Repeat("x", 1<<20)+`"}`), 9), want: "too much structured output"},
		"structured output often": {frames: bytes.Repeat(frame(engine.TypeOutput, `{}`), 10_001), want: "too much structured output"},
		"much output":             {limits: process.Limits{OutputBytes: 10}, frames: bytes.Repeat(frame(engine.TypeStderr, "abcd"), 3), want: "too much output"},
		"many calls":              {frames: bytes.Repeat(call, 10_001), want: "too many calls"},
		"an error without text":   {frames: frame(engine.TypeError, `{}`), want: "without a message"},
		"an error that is long":   {frames: frame(engine.TypeError, `{"message":"`+strings.Repeat("x", 1<<20)+`"}`), want: "xxx…"},
	} {
		t.Run(name, func(t *testing.T) {
			h := envtest.NewHost(t)
			h.OnCall = func(ctx context.Context, _, _ string, _ json.RawMessage) (json.RawMessage, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			res, err := s.lie(t, h, c.limits, aftermath(c.frames))
			if err == nil || !strings.Contains(err.Error(), c.want) || res.State == process.ExitSuccess {
				t.Errorf("%+v, %v", res, err)
			}
			if err != nil && len(err.Error()) > 100<<10 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
			if c.limits.OutputBytes > 0 && h.Text(process.Stderr) != "abcdabcdab" {
				t.Errorf("stderr %q", h.Text(process.Stderr))
			}
		})
	}
}

// Results that nobody reads are not kept without end.
func TestUnreadResults(t *testing.T) {
	h := envtest.NewHost(t)
	big := json.RawMessage(`"` + strings.Repeat("x", 1<<18) + `"`)
	h.OnCall = func(context.Context, string, string, json.RawMessage) (json.RawMessage, error) { return big, nil }
	hold := make(chan struct{})
	defer close(hold)
	_, err := newStage(t).lie(t, h, process.Limits{}, func(c net.Conn) {
		if _, _, err := engine.NewReader(c).Next(); err != nil {
			return
		}
		for i := range 40 { // more than may wait, beside as much that is being written
			if _, err := c.Write(frame(engine.TypeCall, fmt.Sprintf(`{"id":%d,"op":"tool","service":"a","tool":"b"}`, i))); err != nil {
				return
			}
		}
		<-hold
	})
	if err == nil || !strings.Contains(err.Error(), "does not read") {
		t.Error(err)
	}
}

// What it says after its last word is not heard.
func TestNothingAfterTheEnd(t *testing.T) {
	h := envtest.NewHost(t)
	res, err := newStage(t).lie(t, h, process.Limits{}, aftermath(frame(engine.TypeStdout, "a"), frame(engine.TypeDone, ""), frame(engine.TypeStdout, "b"), frame('?', "")))
	if err != nil || res.State != process.ExitSuccess || h.Text(process.Stdout) != "a" {
		t.Errorf("%+v, %v, %q", res, err, h.Text(process.Stdout))
	}
}

// One that goes without a word has failed.
func TestEndWithoutAWord(t *testing.T) {
	res, err := newStage(t).lie(t, envtest.NewHost(t), process.Limits{}, func(c net.Conn) { _, _, _ = engine.NewReader(c).Next() })
	if err == nil || res.State == process.ExitSuccess {
		t.Errorf("%+v, %v", res, err)
	}
}
