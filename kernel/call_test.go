package kernel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
)

// tools is a registry whose answers a test gives. Without functions every tool
// is there, allowed, and answers with its parameters.
type tools struct {
	check func(c process.ToolCall) (process.Permission, error)
	call  func(ctx context.Context, c process.ToolCall) (json.RawMessage, error)
	made  atomic.Int64 // calls
}

func (s *tools) Check(_ context.Context, c process.ToolCall) (process.Permission, error) {
	if s.check == nil {
		return process.Allow, nil
	}
	return s.check(c)
}

func (s *tools) Call(ctx context.Context, c process.ToolCall) (json.RawMessage, error) {
	s.made.Add(1)
	if s.call == nil {
		return c.Params, nil
	}
	return s.call(ctx, c)
}

func newTooled(t testingT, slots int, s Tools) *fixture {
	t.Helper()
	return newFixtureWith(t, slots, func(c *Config) { c.Tools = s })
}

// stdout is what a finished process printed.
func (f *fixture) stdout(t testingT, id process.ID) string {
	t.Helper()
	o, err := f.OpenOutput(context.Background(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	var b strings.Builder
	if _, err := o.Copy(&b, rawlog.Stdout, 0, o.Size(rawlog.Stdout)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// payloads returns a process's events of one kind.
func payloads[T process.Payload](t testingT, f *fixture, id process.ID) (all []T) {
	t.Helper()
	events, err := f.Events(context.Background(), id, 0, 100_000)
	if err != nil {
		t.Fatal(err)
	}
	for _, ev := range events {
		if d, ok := ev.Data.(T); ok {
			all = append(all, d)
		}
	}
	return all
}

func TestToolCall(t *testing.T) {
	long := strings.Repeat("ü", 2000)
	s := &tools{
		check: func(c process.ToolCall) (process.Permission, error) {
			switch c.Tool {
			case "missing":
				return "", &process.ToolError{Code: process.ToolNotFound, Message: "no such tool"}
			case "forbidden":
				return process.Deny, nil
			case "confused":
				return "perhaps", nil
			}
			return process.Allow, nil
		},
		call: func(_ context.Context, c process.ToolCall) (json.RawMessage, error) {
			switch c.Tool {
			case "broken":
				return nil, errors.New(long)
			case "refuses":
				return nil, &process.ToolError{Code: "http_404", Message: "no such pet"}
			case "panics":
				panic("at the disco")
			}
			return json.Marshal([]any{c.Process, c.Run, c.Service, c.Tool, string(c.Params), c.Allowed})
		},
	}
	f := newTooled(t, 0, s)
	defer f.shut(t)
	steps := []string{
		`call s good {"a": 1}`, `call s bare`, `call s missing`, `call s forbidden`, `call s confused`,
		`call s broken`, `call s refuses`, `call s panics`, `call s odd {`, `call ` + long + ` x`,
	}
	id, err := f.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "fake", Code: strings.Join(steps, "\n"),
		Options: process.Options{Tools: []string{"s/*"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if rec := f.wait(t, id); rec.ExitState != process.ExitSuccess {
		t.Fatalf("%+v", rec)
	}
	cut := strings.Repeat("ü", 62) + "…"
	want := []string{
		`[1,1,"s","good","{\"a\": 1}",["s/*"]]`, `[1,1,"s","bare","",["s/*"]]`, `not_found: no such tool`,
		`denied: the policy does not allow s/forbidden`, `denied: the policy does not allow s/confused`,
		`failed: ` + long, `http_404: no such pet`, `failed: s/panics panicked: at the disco`,
		`invalid_params: the parameters of s/odd are not JSON`, `not_found: there is no tool ` + cut + `/x`, ``,
	}
	if got := strings.Split(f.stdout(t, id), "\n"); !slices.Equal(got, want) {
		t.Errorf("printed\n%s\ninstead of\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	called, returned := payloads[process.ToolCalled](t, f, id), payloads[process.ToolReturned](t, f, id)
	if len(called) != len(steps) || len(returned) != len(steps) {
		t.Fatalf("%d called, %d returned", len(called), len(returned))
	}
	for i := range steps {
		c, r := called[i], returned[i]
		if c.Call != int64(i+1) || r.Call != c.Call || r.Service != c.Service || r.Tool != c.Tool || r.OK != (i < 2) || r.OK == (r.Code != "") {
			t.Errorf("%+v, %+v", c, r)
		}
		if len(r.Error) > maxToolError || len(r.Service) > maxToolName || !utf8.ValidString(r.Error+r.Service) {
			t.Errorf("an event of %d and %d bytes", len(r.Error), len(r.Service))
		}
	}
	checkLog(t, f, id)
}

func TestNoTools(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	id := f.spawn(t, "call a b {}")
	f.wait(t, id)
	if got := f.stdout(t, id); got != "not_found: there is no tool a/b\n" {
		t.Errorf("printed %q", got)
	}
}

func TestCallsRunSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &tools{call: func(context.Context, process.ToolCall) (json.RawMessage, error) {
			time.Sleep(100 * time.Millisecond)
			return json.RawMessage("1"), nil
		}}
		f := newTooled(t, 1, s)
		defer f.shut(t)
		id := f.spawn(t, "calls 20 s t")
		if rec := f.wait(t, id); rec.Usage.WallMS != 100 || rec.ExitState != process.ExitSuccess {
			t.Errorf("%s after %d ms", rec.ExitState, rec.Usage.WallMS)
		}
		if got := f.stdout(t, id); got != strings.Repeat("1\n", 20) {
			t.Errorf("printed %q", got)
		}
		numbers := map[int64]bool{}
		for _, r := range payloads[process.ToolReturned](t, f, id) {
			if numbers[r.Call] = true; r.DurationMS != 100 {
				t.Errorf("%+v", r)
			}
		}
		if len(numbers) != 20 {
			t.Errorf("%d calls returned", len(numbers))
		}
	})
}

// A thousand calls are not a thousand commits, not even in their own time.
func TestCallsShareCommits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &tools{call: func(context.Context, process.ToolCall) (json.RawMessage, error) {
			time.Sleep(time.Millisecond)
			return json.RawMessage("1"), nil
		}}
		f := newTooled(t, 0, s)
		defer f.shut(t)
		id := f.spawn(t, strings.Repeat("call s t\n", 1000))
		f.wait(t, id)
		if n := f.st.applied.Load(); n > 250 {
			t.Errorf("%d commits", n)
		}
		if n := len(payloads[process.ToolReturned](t, f, id)); n != 1000 {
			t.Errorf("%d returned", n)
		}
		checkLog(t, f, id)
	})
}

// What a run leaves undone when it ends is ended with it, and said before the
// end is.
func TestTheEndEndsCalls(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	s := &tools{check: func(c process.ToolCall) (process.Permission, error) { return process.Permission(c.Tool), nil },
		call: func(context.Context, process.ToolCall) (json.RawMessage, error) { <-release; return nil, nil }}
	f := newTooled(t, 1, s)
	defer f.shut(t)
	id := f.spawn(t, "gate go")
	h := f.hostOf(t, id)
	ends := make(chan error, 2)
	for _, tool := range []string{"ask", "allow"} {
		go func() {
			_, err := h.Call(context.Background(), "s", tool, nil)
			ends <- err
		}()
	}
	if !eventually(func() bool { return s.made.Load() == 1 && len(f.pendingOf(t, id)) == 1 }) {
		t.Fatal("they are not called")
	}
	f.fake.Open("go")
	if rec := f.wait(t, id); rec.ExitState != process.ExitSuccess {
		t.Errorf("%s", rec.ExitState)
	}
	for range 2 {
		if te := (*process.ToolError)(nil); !errors.As(<-ends, &te) || te.Code != process.ToolCanceled {
			t.Errorf("%v", te)
		}
	}
	kinds := f.kinds(t, id)
	if got := kinds[len(kinds)-5:]; !slices.Equal(got, []process.Kind{"approval_decided", "tool_returned", "tool_returned", "reaped", "finalized"}) {
		t.Errorf("events end with %v", got)
	}
	if _, err := h.Call(t.Context(), "s", "allow", nil); err == nil {
		t.Error("the dead calls")
	}
	if f.used("fake") != 0 {
		t.Errorf("%d slots are taken", f.used("fake"))
	}
	checkLog(t, f, id)
}

// A tool that does not heed its context holds nobody up, and what it brings
// after the end is nobody's.
func TestLateResult(t *testing.T) {
	for name, o := range map[string]KillOptions{"now": {Now: true}, "with grace": {}} {
		t.Run(name, func(t *testing.T) {
			release, entered := make(chan struct{}), make(chan context.Context, 2)
			s := &tools{call: func(ctx context.Context, _ process.ToolCall) (json.RawMessage, error) {
				entered <- ctx
				<-release
				return json.RawMessage(`"late"`), nil
			}}
			f := newTooled(t, 1, s)
			defer f.shut(t)
			id := f.spawn(t, "calls 2 s t\nout never")
			ctx := <-entered
			<-entered
			if err := f.Kill(t.Context(), id, o); err != nil {
				t.Fatal(err)
			}
			if rec := f.wait(t, id); rec.ExitState != process.ExitCanceled {
				t.Errorf("%s", rec.ExitState)
			}
			if ctx.Err() == nil {
				t.Error("the tool was not told")
			}
			for _, r := range payloads[process.ToolReturned](t, f, id) {
				if r.OK || r.Code != process.ToolCanceled {
					t.Errorf("%+v", r)
				}
			}
			before := f.kinds(t, id)
			if before[len(before)-1] != process.KindFinalized {
				t.Errorf("events %v", before)
			}
			close(release)
			f.outside.Wait()
			if got := f.kinds(t, id); !slices.Equal(got, before) {
				t.Errorf("%v became %v", before, got)
			}
			if got := f.stdout(t, id); got != "" {
				t.Errorf("printed %q", got)
			}
			if n := f.used("fake"); n != 0 {
				t.Errorf("%d slots are taken", n)
			}
			checkLog(t, f, id)
		})
	}
}

// used is how many slots of an environment are taken.
func (f *fixture) used(name string) int {
	p := f.envs[name].pool
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used
}

// Close waits for a tool that was left behind, but not for ever.
func TestCloseLeavesADeafToolBehind(t *testing.T) {
	release, entered := make(chan struct{}), make(chan struct{})
	s := &tools{call: func(context.Context, process.ToolCall) (json.RawMessage, error) {
		close(entered)
		<-release
		return nil, nil
	}}
	f := newTooled(t, 0, s)
	f.spawn(t, "call s t")
	<-entered
	f.shut(t)
	close(release)
	f.outside.Wait()
}

func TestToolTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := &tools{call: func(ctx context.Context, c process.ToolCall) (json.RawMessage, error) {
			if c.Tool == "deaf" {
				<-release
				return json.RawMessage("1"), nil
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		f := newFixtureWith(t, 0, func(c *Config) { c.Tools, c.ToolTimeout = s, time.Second })
		defer f.shut(t)
		id := f.spawn(t, "call s heeding\ncall s deaf\nout on")
		rec := f.wait(t, id)
		if got := f.stdout(t, id); got != "timeout: s/heeding took too long\ntimeout: s/deaf took too long\non\n" || rec.Usage.WallMS != 2000 {
			t.Errorf("printed %q after %d ms", got, rec.Usage.WallMS)
		}
		close(release)
	})
}

// 200 runs that wait for tools do not stop the 201st.
func TestWaitingRunsHoldNoSlot(t *testing.T) {
	release := make(chan struct{})
	s := &tools{call: func(context.Context, process.ToolCall) (json.RawMessage, error) {
		<-release
		return json.RawMessage("1"), nil
	}}
	f := newTooled(t, 2, s)
	defer f.shut(t)
	var waiting []process.ID
	for i := range 200 {
		script := "call s wait\nout on"
		if i%2 == 0 {
			script = "calls 3 s wait\nout on"
		}
		waiting = append(waiting, f.spawn(t, script))
	}
	if rec := f.wait(t, f.spawn(t, "out hi")); rec.ExitState != process.ExitSuccess {
		t.Fatalf("%+v", rec)
	}
	if !eventually(func() bool { return s.made.Load() == 400 && f.used("fake") == 0 }) {
		t.Fatalf("%d calls, %d slots taken", s.made.Load(), f.used("fake"))
	}
	close(release)
	for _, id := range waiting {
		if rec := f.wait(t, id); rec.ExitState != process.ExitSuccess {
			t.Fatalf("%+v", rec)
		}
	}
	if n := f.used("fake"); n != 0 {
		t.Errorf("%d slots are taken", n)
	}
}

// Who comes back takes a slot without waiting for one; nothing is started until
// that is made up for.
func TestComingBackNeedsNoFreeSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := &tools{call: func(context.Context, process.ToolCall) (json.RawMessage, error) {
			<-release
			return json.RawMessage("1"), nil
		}}
		f := newTooled(t, 1, s)
		defer f.shut(t)
		a := f.spawn(t, "call s wait\ngate a")
		synctest.Wait()
		b := f.spawn(t, "gate b")
		c := f.spawn(t, "out c")
		time.Sleep(time.Second) // also for what is told lazily
		synctest.Wait()
		states := func(want ...process.State) {
			t.Helper()
			for i, id := range []process.ID{a, b, c} {
				if got := f.record(t, id).State; got != want[i] {
					t.Errorf("process %d is %s, want %s", id, got, want[i])
				}
			}
		}
		states(process.Running, process.Running, process.Queued)
		close(release)
		synctest.Wait()
		if n := f.used("fake"); n != 2 {
			t.Errorf("%d slots are taken", n)
		}
		f.fake.Open("b")
		f.wait(t, b)
		time.Sleep(time.Second)
		synctest.Wait()
		states(process.Running, process.Idle, process.Queued)
		f.fake.Open("a")
		f.wait(t, a)
		f.wait(t, c)
		if n := f.used("fake"); n != 0 {
			t.Errorf("%d slots are taken", n)
		}
	})
}

func TestShorten(t *testing.T) {
	for _, s := range []string{"", "a", strings.Repeat("a", 10), strings.Repeat("a", 11), strings.Repeat("ü", 9), "\xff\xfe", "ab\xffcdefghijkl", strings.Repeat("\x80", 40)} {
		got := shorten(s, 10)
		if !utf8.ValidString(got) || len(got) > 10 || len(s) <= 10 && utf8.ValidString(s) && got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
	if got := shorten(strings.Repeat("ü", 9), 10); got != "üüü…" {
		t.Errorf("got %q", got)
	}
	if fmt.Sprint(givenUp(errRunOver)) != "the call was given up: the run has ended" {
		t.Error(givenUp(errRunOver))
	}
}
