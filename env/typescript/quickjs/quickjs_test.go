package quickjs

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/reeverun/reeve/env/typescript/engine"
	"github.com/reeverun/reeve/env/typescript/enginetest"
	"github.com/reeverun/reeve/env/typescript/prelude"
)

// executable is what children run; see enginetest.QuickJSChild.
var executable string

func TestMain(m *testing.M) {
	if Child() || escapee() {
		return
	}
	dir, err := os.MkdirTemp("", "quickjs")
	if err == nil {
		executable, err = enginetest.QuickJSChild(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(dir)
		os.Exit(code)
	}))
}

func TestEngine(t *testing.T) {
	enginetest.Run(t, func() engine.Engine { return New(Config{Prelude: prelude.Source(), Executable: executable}) })
}

func started(t *testing.T, c Config) *Engine {
	t.Helper()
	c.Executable = executable
	e := New(c)
	t.Cleanup(func() { e.Close() })
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestAPreludeThatFailsIsAnErrorOfStart(t *testing.T) {
	for _, c := range []struct{ prelude, want string }{
		{"(function () { throw new Error('broken prelude') })", "broken prelude"},
		{"(", "does not compile"},
	} {
		e := New(Config{Prelude: c.prelude, Executable: executable})
		err := e.Start(t.Context())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Start: %v, want %q in it", err, c.want)
		}
		e.Close()
	}
}

func TestAProgramThatDoesNotExistIsAnErrorOfStart(t *testing.T) {
	e := New(Config{Prelude: "x", Executable: "/does/not/exist"})
	defer e.Close()
	if err := e.Start(t.Context()); err == nil {
		t.Error("Start succeeded")
	}
}

// A child that was killed while it waited is not handed out.
func TestAChildThatDiedWhileItWaitedIsReplaced(t *testing.T) {
	e := started(t, Config{Prelude: prelude.Source(), Ahead: 1})
	e.mu.Lock()
	waiting := e.ready[0]
	e.mu.Unlock()
	waiting.Kill()
	<-waiting.done
	c, err := e.Child(t.Context(), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if c.PID() == waiting.PID() || c.(*child).ended() {
		t.Error("the dead child was handed out")
	}
}

// A child that nobody gives a script ends with its engine.
func TestCloseLeavesNoProcess(t *testing.T) {
	e := started(t, Config{Prelude: prelude.Source(), Ahead: 3})
	e.mu.Lock()
	waiting := e.ready
	e.mu.Unlock()
	if len(waiting) != 3 {
		t.Fatalf("%d children wait, want 3", len(waiting))
	}
	e.Close()
	for _, c := range waiting {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if _, err := c.Wait(ctx); err != nil {
			t.Errorf("process %d: %v", c.PID(), err)
		}
		cancel()
	}
}

// Whatever runs before main of a child has no part in it: its environment is
// empty but for its own.
func TestAChildHasNoEnvironment(t *testing.T) {
	t.Setenv("SECRET_OF_THE_DAEMON", "x")
	e := started(t, Config{Prelude: prelude.Source(), Ahead: 1})
	e.mu.Lock()
	env := e.ready[0].cmd.Env
	e.mu.Unlock()
	if strings.Contains(strings.Join(env, "\n"), "SECRET") || len(env) != 1+len(childEnvironment) {
		t.Errorf("environment %q", env)
	}
	if os.Getenv("SECRET_OF_THE_DAEMON") == "" {
		t.Error("the test proves nothing")
	}
}

func FuzzWellFormed(f *testing.F) {
	for _, s := range []string{"", "a", "\xed\xa0\x80", "x\xed\xbf\xbfy", "\xed", "\xed\xa0", "\xed\x9f\xbf", "\xed\xa0\x80\xed\xb0\x80", "\xedx\xed\xbf\xbf", "\xed"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got := wellFormed(append([]byte(nil), b...))
		if len(got) != len(b) {
			t.Errorf("%q became %q", b, got)
		}
		for i := 0; i+2 < len(got); i++ {
			if got[i] == 0xed && got[i+1] >= 0xa0 && got[i+1] <= 0xbf && got[i+2] >= 0x80 && got[i+2] <= 0xbf && isLead(b, i) {
				t.Errorf("%q still has a surrogate: %q", b, got)
			}
		}
	})
}

// isLead says whether the byte at i could begin a character.
func isLead(b []byte, i int) bool { return i == 0 || b[i-1] < 0x80 }
