package enginetest

import (
	"strings"
	"testing"

	"github.com/reeverun/reeve/env/typescript/engine"
)

func testSignals(t *testing.T, e engine.Engine) {
	t.Run("aware", func(t *testing.T) {
		s := begin(t, e, body(`
			reeve.signal.addEventListener("abort", () => console.log(reeve.signal.reason.name, reeve.signal.reason.message));
			await reeve.services.s.tools.t(); console.log(reeve.signal.aborted)`))
		s.onCall = func(c call) {
			s.send(engine.TypeSignal, "SIGTERM")
			s.answer(c.ID, "1")
		}
		r := s.end()
		r.succeeded(t)
		if want := "AbortError SIGTERM\ntrue\n"; !r.aware || r.stdout.String() != want {
			t.Errorf("aware %v, stdout %q, want %q", r.aware, r.stdout.String(), want)
		}
	})
	t.Run("a program may wait for nothing else", func(t *testing.T) {
		s := begin(t, e, body(`await new Promise((r) => { reeve.signal.onabort = r; console.log("waits") }); console.log(reeve.signal.reason.message)`))
		s.onFrame = func(f engine.Type, text string) {
			if f == engine.TypeStdout && strings.HasPrefix(text, "waits") {
				s.send(engine.TypeSignal, "SIGINT")
			}
		}
		r := s.end()
		r.succeeded(t)
		if want := "waits\nSIGINT\n"; r.stdout.String() != want {
			t.Errorf("stdout %q, want %q", r.stdout.String(), want)
		}
	})
	t.Run("unaware", func(t *testing.T) {
		s := begin(t, e, body(`await reeve.services.s.tools.t(); console.log("goes on")`))
		s.onCall = func(c call) {
			s.send(engine.TypeSignal, "SIGTERM")
			s.answer(c.ID, "1")
		}
		r := s.end()
		r.succeeded(t)
		if r.aware || r.stdout.String() != "goes on\n" {
			t.Errorf("aware %v, stdout %q", r.aware, r.stdout.String())
		}
	})
	t.Run("continue moves the timers", func(t *testing.T) { testContinue(t, e) })
}

// testContinue: a program that stood still for an hour is told so before its
// timers are looked at; the timer that was due first by then is still pending.
func testContinue(t *testing.T, e engine.Engine) {
	s := begin(t, e, body(`
		let due = false; const t = setTimeout(() => { due = true }, 400);
		await reeve.services.s.tools.stop();
		for (const end = performance.now() + 500; performance.now() < end;);
		await reeve.services.s.tools.answered(); console.log(due); clearTimeout(t)`))
	s.onCall = func(c call) {
		if c.Tool == "stop" {
			s.send(engine.TypeContinue, "3600000")
		}
		s.answer(c.ID, "1")
	}
	r := s.end()
	r.succeeded(t)
	if r.stdout.String() != "false\n" {
		t.Errorf("stdout %q: the timer fired", r.stdout.String())
	}
}
