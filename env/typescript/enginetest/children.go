package enginetest

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reeverun/reeve/env/typescript/engine"
)

// testChildren: the processes themselves.
func testChildren(t *testing.T, e engine.Engine, open func() engine.Engine) {
	t.Run("isolation", func(t *testing.T) { testIsolation(t, e) })
	t.Run("kill", func(t *testing.T) { testKill(t, e) })
	t.Run("stop and continue", func(t *testing.T) { testStop(t, e) })
	t.Run("channel closed", func(t *testing.T) { testClosed(t, e) })
	t.Run("side by side", func(t *testing.T) { testSideBySide(t, e) })
	t.Run("exit", func(t *testing.T) {
		r := run(t, e, body(`let x = 0; for (let i = 0; i < 1e5; i++) x += i`))
		r.succeeded(t)
		if r.exit.Signal != "" || r.exit.CPU <= 0 {
			t.Errorf("exit %+v", r.exit)
		}
	})
	t.Run("cpu", func(t *testing.T) { testCPU(t, e) })
	t.Run("close", func(t *testing.T) { testClose(t, open) })
}

// testIsolation: nothing of one run is in the next, not even its luck.
func testIsolation(t *testing.T, e engine.Engine) {
	code := `console.log(globalThis.left, Array.prototype.left, Math.random(), crypto.randomUUID()); globalThis.left = Array.prototype.left = "behind"; console.log = null`
	seen := map[string]bool{}
	for range 4 {
		r := run(t, e, body(code))
		r.succeeded(t)
		rest, clean := strings.CutPrefix(r.stdout.String(), "undefined undefined ")
		if !clean {
			t.Errorf("stdout %q", r.stdout.String())
		}
		if seen[rest] {
			t.Errorf("two runs had the same random values: %q", rest)
		}
		seen[rest] = true
	}
}

// testCPU: what a program computes can be seen while it does, where the engine
// can tell.
func testCPU(t *testing.T, e engine.Engine) {
	s := begin(t, e, body(`console.log("runs"); for (;;);`))
	m, ok := s.child.(engine.Metered)
	if !ok {
		s.child.Kill()
		s.end()
		t.Skip("it cannot tell")
	}
	s.onFrame = func(engine.Type, string) {
		go func() {
			defer s.child.Kill()
			for last, from := m.CPU(), time.Now(); m.CPU() < last+20*time.Millisecond; {
				if time.Since(from) > patience {
					t.Error("it computes, and its clock stands")
					return
				}
				time.Sleep(time.Millisecond)
			}
		}()
	}
	s.end()
	if _, err := s.child.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	if used := m.CPU(); used != 0 {
		t.Errorf("after its end: %v", used)
	}
}

func testKill(t *testing.T, e engine.Engine) {
	s := begin(t, e, body(`console.log("runs"); for (;;);`))
	s.onFrame = func(engine.Type, string) { s.child.Kill() }
	r := s.end()
	if r.exit.Code == 0 || r.done || r.failure != nil {
		t.Errorf("exit %+v, done %v, error %+v", r.exit, r.done, r.failure)
	}
	s.child.Kill() // again, and after the end
	if exit, err := s.child.Wait(t.Context()); err != nil || exit != r.exit {
		t.Errorf("a second Wait: %+v %v, want %+v", exit, err, r.exit)
	}
}

// testStop: a stopped program does nothing, and goes on where it was.
func testStop(t *testing.T, e engine.Engine) {
	s := begin(t, e, body(`let n = 0; await reeve.services.s.tools.ready(); while (n < 1e5) n++; console.log("went on", n)`))
	var once sync.Once
	stopped := make(chan error, 1)
	s.onCall = func(c call) {
		once.Do(func() {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			stopped <- s.child.Stop(ctx)
		})
		s.answer(c.ID, "1") // lies in the channel
		if err := s.child.Continue(); err != nil {
			t.Errorf("Continue: %v", err)
		}
	}
	r := s.end()
	if err := <-stopped; err != nil {
		t.Fatalf("Stop: %v", err)
	}
	r.succeeded(t)
	if r.stdout.String() != "went on 100000\n" {
		t.Errorf("stdout %q", r.stdout.String())
	}
	t.Run("killed while stopped", func(t *testing.T) {
		s := begin(t, e, body(`console.log("runs"); for (;;);`))
		s.onFrame = func(engine.Type, string) {
			if err := s.child.Stop(t.Context()); err != nil {
				t.Errorf("Stop: %v", err)
			}
			s.child.Kill()
		}
		if r := s.end(); r.exit.Code == 0 {
			t.Errorf("exit %+v", r.exit)
		}
	})
}

// testClosed: a child whose channel is closed ends, whatever it does.
func testClosed(t *testing.T, e engine.Engine) {
	for _, code := range []string{`for (;;);`, `await new Promise((r) => setTimeout(r, 1e6))`} {
		s := begin(t, e, body(`console.log("runs");`+code))
		frames := engine.NewReader(s.child)
		if _, _, err := frames.Next(); err != nil {
			t.Fatal(err)
		}
		s.child.Close()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		if _, err := s.child.Wait(ctx); err != nil {
			t.Errorf("it did not end: %v", err)
		}
		cancel()
	}
}

func testSideBySide(t *testing.T, e engine.Engine) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			s := begin(t, e, body(`console.log(await reeve.services.s.tools.t({ v: 41 }) + 1)`))
			s.onCall = func(c call) { s.answer(c.ID, "41") }
			r := s.end()
			r.succeeded(t)
			if r.stdout.String() != "42\n" {
				t.Errorf("stdout %q", r.stdout.String())
			}
		})
	}
	wg.Wait()
}

// testClose: Close ends all children, and may come twice or without Start.
func testClose(t *testing.T, open func() engine.Engine) {
	if err := open().Close(); err != nil {
		t.Errorf("Close without Start: %v", err)
	}
	e := open()
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if info := e.Info(); info.Name == "" || info.Version == "" || info.TreeKill == "" {
		t.Errorf("Info %+v", info)
	}
	s := begin(t, e, body(`console.log("runs"); for (;;);`))
	s.onFrame = func(engine.Type, string) { go e.Close() }
	done := time.AfterFunc(patience, func() { t.Error("Close did not end the child") })
	if r := s.end(); r.exit.Code == 0 {
		t.Errorf("exit %+v", r.exit)
	}
	done.Stop()
	if err := e.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if _, err := e.Child(t.Context(), engine.Options{}); err == nil {
		t.Error("a closed engine made a child")
	}
}
