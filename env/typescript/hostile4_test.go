package typescript_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/envtest"
	"github.com/reeverun/reeve/env/typescript/engine"
	"github.com/reeverun/reeve/process"
)

// Calls that wait for an answer are held by the host with their parameters. A
// program that makes ten thousand large ones and awaits none must not fill the
// host's memory.
func TestHostileLargeCallsNobodyAwaits(t *testing.T) {
	h := envtest.NewHost(t)
	h.OnCall = func(ctx context.Context, _, _ string, _ json.RawMessage) (json.RawMessage, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	large := frame(engine.TypeCall, `{"id":1,"op":"tool","service":"a","tool":"b","params":"`+strings.Repeat("x", 1<<18)+`"}`)
	sent := 0
	_, err := newStage(t).lie(t, h, process.Limits{}, func(c net.Conn) {
		if _, _, err := engine.NewReader(c).Next(); err != nil {
			return
		}
		for range 64 {
			if _, err := c.Write(large); err != nil {
				return
			}
			sent++
		}
		_, _ = c.Write(frame(engine.TypeDone, ""))
		time.Sleep(time.Second)
	})
	if err == nil || !strings.Contains(err.Error(), "too many calls") {
		t.Errorf("%d calls were held: %v", sent, err)
	}
}

// One that awaits them may make as many as it likes.
func TestHostileLargeCallsOneByOne(t *testing.T) {
	h := envtest.NewHost(t)
	h.OnCall = func(context.Context, string, string, json.RawMessage) (json.RawMessage, error) { return nil, nil }
	res, err := newStage(t).lie(t, h, process.Limits{}, func(c net.Conn) {
		in := engine.NewReader(c)
		_, _, _ = in.Next()
		for i := range 9 { // more than may be held at a time
			_, _ = c.Write(frame(engine.TypeCall, fmt.Sprintf(`{"id":%d,"op":"tool","service":"a","tool":"b","params":"%s"}`, i, strings.Repeat("x", 1<<19))))
			_, _, _ = in.Next()
		}
		_, _ = c.Write(frame(engine.TypeDone, ""))
	})
	if err != nil || res.State != process.ExitSuccess {
		t.Errorf("%+v, %v", res, err)
	}
}

// An error's text is cut between characters.
func TestHostileErrorIsCutWithinACharacter(t *testing.T) {
	for pad := range 4 {
		text, _ := json.Marshal(map[string]string{"message": strings.Repeat("x", pad) + strings.Repeat("😀", 40<<10)})
		_, err := newStage(t).lie(t, envtest.NewHost(t), process.Limits{}, aftermath(engine.AppendFrame(nil, engine.TypeError, text)))
		if err == nil || !utf8.ValidString(err.Error()) || !strings.HasSuffix(err.Error(), "😀…") {
			t.Errorf("%d: the error is not text", pad)
		}
	}
}

// What a source that does not compile repeats of itself is bounded.
func TestHostileNameInACompileError(t *testing.T) {
	name := strings.Repeat("a", 1<<20)
	h := envtest.NewHost(t)
	s := newStage(t)
	s.liar.say = aftermath()
	_, err := s.env.Execute(t.Context(), env.Input{EID: 1, Run: 1, Spec: &process.Spec{Code: "let " + name + ";\nlet " + name + ";\n"}}, h)
	if err == nil {
		t.Fatal("it compiled")
	}
	if n := len(err.Error()); n > 64<<10 {
		t.Errorf("an error of %d bytes", n)
	}
	if n := len(h.Text(process.Stderr)); n > 64<<10 {
		t.Errorf("%d bytes on stderr", n)
	}
}

// Control from all sides at once, at every stage of short runs: each ends once,
// and nothing is left over.
func TestHostileControlAtEveryStage(t *testing.T) {
	s := newStage(t)
	s.liar.say = func(c net.Conn) {
		in := engine.NewReader(c)
		if _, _, err := in.Next(); err != nil {
			return
		}
		_, _ = c.Write(bytes.Join([][]byte{frame(engine.TypeAware, ""), frame(engine.TypeStdout, "x"),
			frame(engine.TypeCall, `{"id":1,"op":"tool","service":"a","tool":"b"}`)}, nil))
		for {
			if kind, _, err := in.Next(); err != nil || kind == engine.TypeResult || kind == engine.TypeSignal {
				_, _ = c.Write(frame(engine.TypeDone, ""))
				return
			}
		}
	}
	for i := range 300 {
		h := envtest.NewHost(t)
		h.OnCall = func(context.Context, string, string, json.RawMessage) (json.RawMessage, error) { return nil, nil }
		ctx, cancel := context.WithCancelCause(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = s.env.Execute(ctx, env.Input{EID: 7, Run: i, Spec: &process.Spec{}}, h)
		}()
		others := make(chan struct{})
		go func() {
			defer close(others)
			for range 3 {
				switch i % 5 {
				case 0:
					s.env.Kill(7)
				case 1:
					_ = s.env.Signal(7, process.SIGTERM)
				case 2:
					_ = s.env.Pause(ctx, 7, false)
					_ = s.env.Resume(7)
				case 3:
					_ = s.env.Pause(ctx, 7, false)
					cancel(process.ErrCanceled)
				case 4:
					_ = s.env.Members(7)
					cancel(process.ErrTimeout)
				}
			}
		}()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Fatalf("run %d does not end", i)
		}
		<-others
		cancel(nil)
	}
}
