package kernel

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/reeverun/reeve/process"
)

// A run that writes more than it may is killed, and the reason is told. One that
// keeps to its limit is not.
func TestOutputLimitKills(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 0)
		defer f.shut(t)
		limited := func(script string) *process.Process {
			t.Helper()
			id, err := f.Spawn(context.Background(), Request{Spec: process.Spec{Environment: "fake", Code: script,
				Options: process.Options{Limits: process.Limits{OutputBytes: 1024}}}})
			if err != nil {
				t.Fatal(err)
			}
			return f.wait(t, id)
		}
		most := "out " + strings.Repeat("x", 1023)
		if rec := limited(most); rec.ExitState != process.ExitSuccess || len(rec.Outcome.Findings) > 0 {
			t.Errorf("all it may write: %s, %q, %+v", rec.ExitState, rec.Error, rec.Outcome)
		}
		rec := limited(most + "\nout more\nhang")
		if rec.ExitState != process.ExitFailed || rec.Error != "killed by the output limit of 1 KiB" || rec.Outcome.Kind != process.OutcomeFailed {
			t.Errorf("%s, %q, %+v", rec.ExitState, rec.Error, rec.Outcome)
		}
		if fs := rec.Outcome.Findings; len(fs) != 1 || fs[0].Code != "reeve.output_limit" || fs[0].Severity != process.ErrorSeverity || fs[0].At.IsZero() {
			t.Errorf("findings %+v", fs)
		}
		// It ended by itself before anybody looked: the verdict is its own.
		rec = limited(most + "\nout more")
		if fs := rec.Outcome.Findings; rec.ExitState != process.ExitSuccess || len(fs) != 1 || fs[0].Severity != process.Warning {
			t.Errorf("%s, %+v", rec.ExitState, fs)
		}
	})
}

// What an environment does not heed is refused, not ignored.
func TestUnenforcedIsRefused(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	for want, o := range map[string]process.Options{
		"options.sandbox: the environment": {Sandbox: process.Confined},
		"options.sandbox: \"open\"":        {Sandbox: "open"},
		"options.require":                  {Require: []string{process.TreeKill}},
		"options.limits.pids":              {Limits: process.Limits{PIDs: -1}},
	} {
		_, err := f.Spawn(context.Background(), Request{Spec: process.Spec{Environment: "fake", Options: o}})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := f.Spawn(context.Background(), Request{Spec: process.Spec{Environment: "fake", Options: process.Options{Sandbox: process.Trusted}}}); err != nil {
		t.Error(err)
	}
}
