//go:build unix

package main

import (
	"encoding/json"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/reeverun/reeve/process"
)

func TestAgentCommand(t *testing.T) {
	w := newWorld(t)
	w.serve()
	r := w.run("agent", "--model", "m", "--provider", "anthropic", "--max-steps", "7", "--system", "be brief", "--tool", "pets/*",
		"--timeout", "1m", "--label", "l", "--tag", "t", "--ref", "first",
		"step 1\nremember user do it\nremember assistant I shall\nspend 12\nout done\nexit 3")
	if r.code != 3 || r.stdout != "done\n" || strings.Contains(r.stderr, "step") {
		t.Errorf("%+v", r)
	}
	rec := w.record(1)
	if o := rec.Options; rec.Environment != "agent" || o.Model != "m" || o.Provider != "anthropic" || o.MaxSteps != 7 || o.System != "be brief" ||
		o.Tools[0] != "pets/*" || *rec.Label != "l" || rec.Tags[0] != "t" || *rec.Ref != "first" || rec.Usage.Tokens != 12 {
		t.Errorf("%+v", rec)
	}
	intent := w.command("agent", "--json", "-")
	intent.Stdin = strings.NewReader("out from a pipe")
	var shown process.Record
	if r := w.finish(intent); r.code != 0 || json.Unmarshal([]byte(r.stdout), &shown) != nil || *shown.Stdout != "from a pipe\n" {
		t.Errorf("%+v", r)
	}
	if r := w.run("agent", "--detach", "out x"); r.code != 0 || r.stdout != "3\n" {
		t.Errorf("%+v", r)
	}
	for _, args := range [][]string{{"agent"}, {"agent", " "}, {"agent", "a", "b"}, {"agent", "--max-steps", "0", "x"}, {"agent", "--provider", "acme", "x"},
		{"agent", "--timeout", "0s", "x"}, {"transcript"}, {"transcript", "1", "--run", "0"}, {"rerun", "3", "--resume=x"}} {
		if r := w.run(args...); r.code != 2 || r.stderr == "" {
			t.Errorf("%v: %+v", args, r)
		}
	}
}

func TestTranscriptCommand(t *testing.T) {
	w := newWorld(t)
	w.serve()
	w.run("agent", "--ref", "talk", "remember user do it\nremember assistant I shall \x1b[31m\nfail broken")
	w.run("exec", "-e", "out x")
	w.run("rerun", "talk", "--resume")
	r := w.run("transcript", "talk")
	for _, want := range []string{"user #1, step 1, 20", "\n  do it\n\nassistant #2, step 2, 20", `  I shall \x1b[31m`} {
		if r.code != 0 || !strings.Contains(r.stdout, want) {
			t.Errorf("want %q in %+v", want, r)
		}
	}
	lines := strings.Split(strings.TrimSpace(w.run("transcript", "1", "--json").stdout), "\n")
	var m process.Message
	if len(lines) != 2 || json.Unmarshal([]byte(lines[0]), &m) != nil || m.Text != "do it" || m.Number != 1 {
		t.Errorf("%q", lines)
	}
	if r := w.run("transcript", "1", "--run", "2"); r.code != 0 || r.stdout != "" {
		t.Errorf("%+v", r)
	}
	if r := w.run("transcript", "2"); r.code != 1 || !strings.Contains(r.stderr, "it is not an agent") {
		t.Errorf("%+v", r)
	}
}

func TestResumeCommand(t *testing.T) {
	w := newWorld(t)
	w.serve()
	if r := w.run("agent", "out one\nremember user a\nout two\nfail broken"); r.code != 1 || r.stdout != "one\ntwo\n" || !strings.Contains(r.stderr, "1 failed: broken") {
		t.Errorf("%+v", r)
	}
	if r := w.run("rerun", "1", "--resume"); r.code != 1 || r.stdout != "two\n" {
		t.Errorf("resumed: %+v", r)
	}
	if r := w.run("rerun", "1"); r.code != 1 || r.stdout != "one\ntwo\n" {
		t.Errorf("anew: %+v", r)
	}
	w.run("exec", "-e", "out x")
	if r := w.run("rerun", "2", "--resume"); r.code != 2 && r.code != 1 || !strings.Contains(r.stderr, "resume: ") {
		t.Errorf("%+v", r)
	}
}

// Ctrl-C is SIGINT for the agent, and what it makes of it is its own affair.
func TestAgentInterrupted(t *testing.T) {
	w := newWorld(t)
	s := w.serve()
	var out, errs locked
	cmd := w.command("agent", "trap 9\nout ready\nhang")
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.eventually("it works", func() bool { return out.String() == "ready\n" })
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != 9 {
		t.Errorf("%v: %s", cmd.ProcessState, errs.String())
	}
}

// A paused agent is still paused after the daemon was stopped, or killed, since
// the same time and with its clock where it was, and goes on when it is resumed.
func TestPausedAgentOutlivesTheDaemon(t *testing.T) {
	for name, sig := range map[string]syscall.Signal{"stopped": syscall.SIGTERM, "killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			s := w.serve()
			w.run("agent", "--detach", "out one\nremember user a\nsleep 20ms\nremember user b\nhang")
			w.run("agent", "--detach", "remember user c\nhang")
			s.eventually("both work", func() bool {
				return strings.Contains(w.run("transcript", "1").stdout, "#2") && strings.Contains(w.run("transcript", "2").stdout, "#1")
			})
			if r := w.run("pause", "1"); r.code != 0 {
				t.Fatalf("%+v", r)
			}
			before := w.record(1)
			if err := s.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			s.wait()

			w.serve()
			after := w.record(1)
			if after.State != process.Running || !after.Paused || !after.PausedAt.Equal(before.PausedAt.Time) || after.Run != 1 ||
				after.Usage.WallMS != before.Usage.WallMS || after.Usage.PausedMS <= before.Usage.PausedMS {
				t.Errorf("before %+v\nafter %+v", before, after)
			}
			other := w.record(2)
			want := map[string]process.ExitState{"stopped": process.ExitCanceled, "killed": process.ExitFailed}[name]
			if other.State != process.Idle || *other.ExitState != want {
				t.Errorf("the one that worked: %+v", other)
			}
			if r := w.run("events", "1"); !strings.Contains(r.stdout, "reattached") {
				t.Errorf("%+v", r)
			}
			if r := w.run("kill", "1"); r.code != 0 {
				t.Errorf("%+v", r)
			}
			if rec := w.record(1); *rec.Exit != (process.Exit{Code: 1, Reason: "context cancelled while paused"}) || *rec.Stdout != "one\n" {
				t.Errorf("%+v", rec)
			}
		})
	}
}

// Where no daemon runs, one is started.
func TestAgentStartsADaemon(t *testing.T) {
	w := newWorld(t)
	if r := w.run("agent", "out hi"); r.code != 0 || r.stdout != "hi\n" || !strings.Contains(r.stderr, "daemon") {
		t.Errorf("%+v", r)
	}
}
