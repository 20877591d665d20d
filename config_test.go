package reeve_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/process"
)

// A default timeout holds for processes that name none, and only for them:
// one that wants none has none.
func TestDefaultTimeout(t *testing.T) {
	rt, f := fake(t, reeve.Config{DefaultTimeout: map[string]time.Duration{"fake": 50 * time.Millisecond}}, 0)
	rec := finish(t, rt, reeve.In("fake", "hang"))
	if rec.ExitState != process.ExitTimeout || rec.Options.Timeout != 50*time.Millisecond {
		t.Errorf("by default: %s, timeout %v", rec.ExitState, rec.Options.Timeout)
	}
	none := spawn(t, rt, reeve.In("fake", "gate go").NoTimeout())
	own := spawn(t, rt, reeve.In("fake", "gate go").Timeout(time.Hour))
	finish(t, rt, reeve.In("fake", "hang")) // the default has run out once more
	f.Open("go")
	for name, p := range map[string]*reeve.Handle{"none": none, "own": own} {
		if o := wait(t, p); !o.Succeeded() {
			t.Errorf("%s: %+v", name, o)
		}
	}
	if got := record(t, rt, none.ID()).Options.Timeout; got != process.NoTimeout {
		t.Errorf("the record of one without shows %v", got)
	}
}

func TestDatabaseAndLogsElsewhere(t *testing.T) {
	dir, db, logs := t.TempDir(), filepath.Join(t.TempDir(), "sub", "my.db"), t.TempDir()
	rt := open(t, reeve.Config{Dir: dir, Database: db, LogDir: logs})
	id := finish(t, rt, reeve.Command("echo", "here")).ID
	if b, err := os.ReadFile(filepath.Join(logs, id.String(), "1.stdout")); err != nil || string(b) != "here\n" {
		t.Errorf("log: %q, %v", b, err)
	}
	if _, err := os.Stat(db); err != nil {
		t.Error(err)
	}
	for _, name := range files(t, dir) {
		if name != "lock" && name != "key" && name != "boot" {
			t.Errorf("%s is in the data directory", name)
		}
	}
	rt.Close()
	if got := output(t, open(t, reeve.Config{Dir: dir, Database: db, LogDir: logs}), id, reeve.Stdout); got != "here\n" {
		t.Errorf("after a restart: %q", got)
	}
}

// The drain of the Config is what leftovers get before they are asked to go.
func TestConfiguredDrain(t *testing.T) {
	script := `(sleep 0.3; echo late) & echo leader`
	long := open(t, reeve.Config{Drain: 20 * time.Second})
	if rec := finish(t, long, reeve.Sh(script)); output(t, long, rec.ID, reeve.Stdout) != "leader\nlate\n" {
		t.Errorf("a long drain: %q", output(t, long, rec.ID, reeve.Stdout))
	}
	short := open(t, reeve.Config{Drain: time.Millisecond, Grace: time.Millisecond})
	if rec := finish(t, short, reeve.Sh(script)); output(t, short, rec.ID, reeve.Stdout) != "leader\n" {
		t.Errorf("a short drain: %q", output(t, short, rec.ID, reeve.Stdout))
	}
}

func TestPlatformKnobs(t *testing.T) {
	group := func(cfg reeve.Config) string {
		rt := open(t, cfg)
		rec := finish(t, rt, reeve.Sh(`[ "$(ps -o pgid= -p $$ | tr -d ' ')" = $$ ] && echo own || echo shared`))
		return strings.TrimSpace(output(t, rt, rec.ID, reeve.Stdout))
	}
	if got := group(reeve.Config{}); got != "own" {
		t.Errorf("by default the process group is %s", got)
	}
	if got := group(reeve.Config{NoProcessGroup: true}); got != "shared" {
		t.Errorf("with NoProcessGroup it is %s", got)
	}
	rt := open(t, reeve.Config{ShowWindows: true})
	if rec := finish(t, rt, reeve.Command("true").HideWindow(true)); rec.Command.HideWindow {
		t.Error("ShowWindows does not reach the command")
	}
}
