//go:build linux

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// asNobody starts a daemon of an unprivileged user's, who has no cgroup and no
// rights. Only root can.
func asNobody(t *testing.T, variables ...string) *daemon {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become somebody else; this daemon is unprivileged anyway")
	}
	nobody := &syscall.Credential{Uid: 65534, Gid: 65534}
	base, err := os.MkdirTemp("", "reeve-nobody-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	if err := os.Chown(base, int(nobody.Uid), int(nobody.Gid)); err != nil {
		t.Fatal(err)
	}
	// The suite's folder is not for others. What this process writes, a child
	// that is being started elsewhere may hold open: another one copies.
	binary := filepath.Join(base, "reeve")
	if out, err := exec.Command("cp", suite.binary, binary).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	d, err := launchAs(nobody, binary, base, variables)
	if err != nil {
		t.Fatal(err)
	}
	d.endWith(t)
	return d
}

// bounded runs a script with options to its end.
func (d *daemon) bounded(t *testing.T, script string, options m, more ...m) m {
	t.Helper()
	return d.sh(t, script, append([]m{block, {"options": options}}, more...)...)
}

func (r m) has(list, item string) bool {
	items, _ := r[list].([]any)
	return slices.ContainsFunc(items, func(v any) bool { s, _ := v.(string); return s == item || strings.HasPrefix(s, item+": ") })
}

// wantFinding checks that a run's outcome tells of a limit.
func (r m) wantFinding(t *testing.T, code, severity string) {
	t.Helper()
	fs := r.obj("outcome").list("findings")
	if len(fs) != 1 || fs[0].str("code") != code || fs[0].str("severity") != severity || fs[0].obj("action").str("value") == "" || fs[0].str("at") == "" {
		t.Errorf("process %d has the findings %v, want %s %s", r.id(), fs, severity, code)
	}
}

const eater = `perl -e '$x = "x" x 300000000; print length $x'`

// Each limit ends what goes beyond it, and the record names it: the verdict
// stays what the exit says.
func TestIssue6Limits(t *testing.T) {
	t.Parallel()
	d := shared(t)
	memory := m{"limits": m{"memoryBytes": 64 << 20}}
	rec := d.bounded(t, "exec "+eater, memory)
	if !rec.obj("enforced").has("missing", "memory") {
		rec.wantEnd(t, "failed").wantFinding(t, "reeve.memory_limit", "error")
		wantJSON(t, map[string]any(rec.obj("exit")), `{"code":137,"reason":"signal: killed","signal":"SIGKILL"}`)
		wantJSON(t, map[string]any(rec.obj("outcome").obj("reason")), `{"kind":"signal","signal":"SIGKILL"}`)
		if rec.str("error") != "killed by the memory limit of 64 MiB" || !rec.obj("enforced").has("confined", "memory") {
			t.Errorf("%q, %v", rec.str("error"), rec["enforced"])
		}
		rec = d.bounded(t, eater+"; true", memory).wantEnd(t, "success")
		rec.wantFinding(t, "reeve.memory_limit", "warning")
	}
	rec = d.bounded(t, "while :; do :; done", m{"limits": m{"cpuMs": 100}}).wantEnd(t, "failed")
	rec.wantFinding(t, "reeve.cpu_limit", "error")
	if rec.str("error") != "killed by the CPU limit of 100ms" {
		t.Errorf("%q", rec.str("error"))
	}
	rec = d.bounded(t, "exec yes", m{"limits": m{"outputBytes": 100_000}}).wantEnd(t, "failed")
	rec.wantFinding(t, "reeve.output_limit", "error")
	if rec.str("error") != "killed by the output limit of 97.7 KiB" || rec.obj("exit").num("code") != 137 || rec.num("stdoutBytes") <= 100_000 {
		t.Errorf("%q, %v, %d bytes", rec.str("error"), rec["exit"], rec.num("stdoutBytes"))
	}
	rec = d.bounded(t, "ulimit -n; yes | head -c 100000 | wc -c", m{"limits": m{"openFiles": 77, "outputBytes": 100_000}}).wantEnd(t, "success")
	if rec.str("stdout") != "77\n100000\n" || len(rec.obj("outcome").list("findings")) > 0 {
		t.Errorf("%q, %v", rec.str("stdout"), rec["outcome"])
	}
	wantJSON(t, map[string]any(rec.obj("options").obj("limits")), `{"openFiles":77,"outputBytes":100000}`)
}

// A fork bomb harms nobody: a small one is held by its own limit, and a job that
// names none has the default.
func TestIssue6ForkBomb(t *testing.T) {
	t.Parallel()
	d := shared(t)
	rec := d.bounded(t, `i=0; while [ $i -lt 300 ]; do sleep 20 & i=$((i+1)); done; echo all`, m{"limits": m{"pids": 64}, "drain": 1, "grace": 1})
	if rec.obj("enforced").has("missing", "pids") {
		t.Skipf("no controller counts processes here: %v", rec["enforced"])
	}
	if strings.Contains(rec.str("stdout"), "all") {
		t.Errorf("300 processes with a limit of 64: %v", rec["exit"])
	}
	rec = d.bounded(t, `for f in /sys/fs/cgroup/pids$(sed -n 's/^[0-9]*:pids://p' /proc/self/cgroup)/pids.max /sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)/pids.max; do cat $f 2>/dev/null && break; done`, nil)
	if n, err := strconv.Atoi(strings.TrimSpace(rec.str("stdout"))); err != nil || n != 4096 || !rec.obj("enforced").has("confined", "pids") {
		t.Errorf("by default %q, %v", rec.str("stdout"), rec["enforced"])
	}
}

// What means nothing is refused, and the field is named.
func TestIssue6BoundsRefused(t *testing.T) {
	t.Parallel()
	d := shared(t)
	for _, c := range []struct {
		environment string
		options     m
		cwd, field  string
	}{
		{"command", m{"limits": m{"pids": -1}}, "", "options.limits.pids"},
		{"command", m{"limits": m{"memoryBytes": 10}}, "", "options.limits.memoryBytes"},
		{"command", m{"limits": m{"disk": 1}}, "", "options.limits.disk"},
		{"command", m{"sandbox": "open"}, "", "options.sandbox"},
		{"command", m{"require": []string{"tree-kill", "magic"}}, "", "options.require[1]"},
		{"command", m{"require": []string{"landlock"}}, "", "options.sandbox"},
		{"command", m{"require": []string{"memory"}}, "", "options.limits.memoryBytes"},
		{"fake", m{"sandbox": "sandbox"}, "", "options.sandbox"},
		{"fake", m{"require": []string{"tree-kill"}}, "", "options.require"},
		{"command", m{"sandbox": "sandbox"}, "/", "command.cwd"},
		{"command", m{"sandbox": "confined"}, "/", "command.cwd"},
		{"command", m{"sandbox": "sandbox"}, d.data, "command.cwd"},
		{"command", m{"sandbox": "sandbox"}, d.data + "/logs", "command.cwd"},
		{"command", m{"sandbox": "sandbox"}, filepath.Dir(d.data), "command.cwd"},
		{"command", m{"sandbox": "confined"}, filepath.Dir(d.data), "command.cwd"},
	} {
		body := m{"environment": c.environment, "code": "true", "options": c.options}
		if c.cwd != "" {
			delete(body, "code")
			body["command"] = m{"program": "true", "cwd": c.cwd}
		}
		d.post(t, "/processes", body).want(t, 400, "invalid_request").naming(t, c.field)
	}
}

// What is required is had, or the run fails before anything of it ran; what was
// asked for is kept for re-runs and by the next daemon.
func TestIssue6Require(t *testing.T) {
	t.Parallel()
	for user, d := range map[string]func(*testing.T) *daemon{"own": func(t *testing.T) *daemon { return start(t) }, "nobody": func(t *testing.T) *daemon { return asNobody(t) }} {
		t.Run(user, func(t *testing.T) {
			t.Parallel()
			d := d(t)
			ran := filepath.Join(d.base, "tmp", "ran")
			rec := d.bounded(t, "echo held", m{"require": []string{"tree-kill"}}).wantEnd(t, "success")
			wantJSON(t, rec.obj("options")["require"], `["tree-kill"]`)
			again := d.post(t, path(rec.id(), "/signals/run"), m{"force": true, "block": true}).want(t, 200).json(t)
			wantJSON(t, again.obj("options")["require"], `["tree-kill"]`)
			// Root has no use for a user namespace, and nobody for a controller.
			options, lacks := m{"sandbox": "sandbox", "require": []string{"user-namespace"}}, "user-namespace"
			if user == "nobody" || os.Geteuid() != 0 {
				options, lacks = m{"limits": m{"memoryBytes": 1 << 30}, "require": []string{"memory"}}, "memory"
				if d.bounded(t, "true", m{"limits": m{"memoryBytes": 1 << 30}}).obj("enforced").has("confined", "memory") {
					t.Skip("this user has a memory controller")
				}
			}
			rec = d.bounded(t, "touch "+ran, options).wantEnd(t, "failed")
			reason := rec.obj("outcome").obj("reason")
			for _, word := range []string{"it was not started", lacks + ": ", "options.require", "reeve doctor"} {
				if !strings.Contains(rec.str("error"), word) || reason.str("kind") != "spawn_failed" || reason.str("error") != rec.str("error") {
					t.Errorf("%q, %v: want %q", rec.str("error"), reason, word)
				}
			}
			if _, err := os.Stat(ran); err == nil || rec["startedAt"] != nil {
				t.Error("it ran")
			}
		})
	}
}

// Programs are told from commands: they are confined by their engine.
func TestIssue6RequireOfPrograms(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	rec := d.ts(t, "console.log(1)", block, m{"options": m{"sandbox": "sandbox", "require": []string{"tree-kill", "seccomp"}}})
	if !rec.obj("enforced").has("missing", "seccomp") {
		rec.wantEnd(t, "success")
	}
	d.post(t, "/processes", m{"code": "1", "options": m{"require": []string{"magic"}}}).want(t, 400, "invalid_request").naming(t, "options.require[0]")
	for name := range lackingOf(rec) {
		lost := d.ts(t, "console.log(1)", block, m{"options": m{"require": []string{name}}}).wantEnd(t, "failed")
		if lost.obj("outcome").obj("reason").str("kind") != "spawn_failed" || !strings.Contains(lost.str("error"), name+":") || lost.str("stdout") != "" {
			t.Errorf("%s: %v", name, lost["outcome"])
		}
		break
	}
}

func lackingOf(rec m) map[string]bool {
	names := map[string]bool{}
	missing, _ := rec.obj("enforced")["missing"].([]any)
	for _, v := range missing {
		name, _, _ := strings.Cut(fmt.Sprint(v), ":")
		names[name] = true
	}
	return names
}

// uid is a file's owner.
func uid(info os.FileInfo) int { return int(info.Sys().(*syscall.Stat_t).Uid) }

// Limits hold, and are named, when the daemon died and the next one took the
// command up.
func TestIssue6LimitsAfterACrash(t *testing.T) {
	t.Parallel()
	base := newBase(t)
	d := startIn(t, base, "--concurrency", "command=3")
	wait := "while ! test -e " + base + "/go; do sleep 0.05; done; "
	ids := map[string]int64{}
	for name, c := range map[string]struct {
		script string
		limits m
	}{
		"memory": {"exec " + eater, m{"memoryBytes": 64 << 20}},
		"cpu":    {"while :; do :; done", m{"cpuMs": 300}},
		"output": {"exec yes", m{"outputBytes": 1 << 20}},
	} {
		ids[name] = d.sh(t, wait+c.script, m{"options": m{"limits": c.limits}}).id()
	}
	for _, id := range ids {
		d.await(t, id, "running")
	}
	d.crash()
	d = startIn(t, base, "--concurrency", "command=3")
	if err := os.WriteFile(base+"/go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, id := range ids {
		rec := d.await(t, id, "idle")
		if rec.obj("enforced").has("missing", name) {
			continue // memory, of an ordinary user's
		}
		rec.wantEnd(t, "failed").wantFinding(t, "reeve."+name+"_limit", "error")
		if !strings.HasPrefix(rec.str("error"), "killed by the ") {
			t.Errorf("%s: %q", name, rec.str("error"))
		}
	}
}
