package reeve_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/process"
)

// trees are the three of the issue. Each process of one carries the marker in
// its arguments, so that survivors are found without asking Reeve.
var trees = map[string]string{
	"plain": `sleep 1000.MARK & (sleep 1000.MARK & sleep 1000.MARK) & echo ready; sleep 1000.MARK`,
	"stubborn": `trap '' TERM INT; (trap '' TERM; sleep 1000.MARK) &
		sh -c 'trap "" TERM; while :; do sleep 1000.MARK; done' & echo ready; sleep 1000.MARK`,
	"escaping": `setsid sleep 1000.MARK & (setsid sh -c 'trap "" TERM; sleep 1000.MARK & sleep 1000.MARK' &) ;
		env -i setsid sleep 1000.MARK & (sh -c 'sleep 1000.MARK & exit' & exit) ; echo ready; sleep 1000.MARK`,
}

func TestKillMeansDead(t *testing.T) {
	for _, tier := range []keeper.Tier{keeper.TierCgroup2, keeper.TierSubreaper} {
		t.Run(string(tier), func(t *testing.T) {
			rt, err := reeve.Open(t.Context(), reeve.Config{Tier: tier})
			if err != nil {
				if os.Getuid() == 0 && tier == keeper.TierCgroup2 {
					t.Logf("as root: %v", err)
				}
				t.Skipf("this machine has no %s: %v", tier, err)
			}
			defer rt.Close()
			for name, script := range trees {
				for _, how := range []string{"cancel", "now", "timeout"} {
					t.Run(name+"/"+how, func(t *testing.T) { killTree(t, rt, tier, script, how) })
				}
			}
		})
	}
}

func killTree(t *testing.T, rt *reeve.Runtime, tier keeper.Tier, script, how string) {
	mark := fmt.Sprint(time.Now().UnixNano())
	task := reeve.Sh(strings.ReplaceAll(script, "MARK", mark)).Grace(200 * time.Millisecond)
	if how == "timeout" {
		task.Timeout(500 * time.Millisecond)
	}
	p := spawn(t, rt, task)
	awaitEvent(t, rt, p.ID(), isLine("ready"))
	if n := len(marked(t, mark)); n < 3 {
		t.Logf("only %d processes at the time of the kill", n)
	}
	switch how {
	case "cancel":
		if err := p.Cancel(); err != nil {
			t.Fatal(err)
		}
	case "now":
		if err := rt.Kill(t.Context(), p.ID(), reeve.KillOptions{Now: true}); err != nil {
			t.Fatal(err)
		}
	}
	o := wait(t, p)
	if left := marked(t, mark); len(left) > 0 || len(o.Survivors) > 0 {
		t.Errorf("%d survivors: %v; the outcome names %v", len(left), left, o.Survivors)
	}
	want := process.OutcomeCancelled
	if how == "timeout" {
		want = process.OutcomeFailed
	}
	if o.Kind != want {
		t.Errorf("outcome %+v", o)
	}
	if rec := record(t, rt, p.ID()); rec.Enforced == nil || rec.Enforced.TreeKill != string(tier) {
		t.Errorf("enforced %+v", rec.Enforced)
	}
}

// marked returns the living processes with a marker in their arguments.
func marked(t *testing.T, mark string) (found []string) {
	t.Helper()
	paths, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range paths {
		line, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(line, []byte("1000."+mark)) {
			continue
		}
		if stat, err := os.ReadFile(filepath.Join(filepath.Dir(path), "stat")); err == nil {
			if _, after, ok := bytes.Cut(stat, []byte(") ")); ok && len(after) > 0 && after[0] == 'Z' {
				continue
			}
		}
		found = append(found, path+": "+string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
	}
	return found
}

// TestKillMeansDeadUnprivileged runs the same trees as an ordinary user.
func TestKillMeansDeadUnprivileged(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can become another user")
	}
	dir, err := os.MkdirTemp("", "reeve-unprivileged")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "reeve.test")
	if err := os.WriteFile(binary, self, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, "-test.run", "^(TestKillMeansDead|TestCompletedProcessSurvivesReopen|TestHostKilled|TestHostKilledAgainAndAgain)$", "-test.v")
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "REEVE_CRASH_ROUNDS=3"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("as user 65534: %v\n%s", err, out)
	}
	if !bytes.Contains(out, []byte("--- PASS: TestKillMeansDead/subreaper")) {
		t.Errorf("the subreaper tier was not tested:\n%s", out)
	}
}

// The leader obeys SIGTERM, its child does not: SIGKILL must still come.
func TestKillAfterTheLeaderObeyed(t *testing.T) {
	rt := open(t, reeve.Config{})
	mark := fmt.Sprint(time.Now().UnixNano())
	p := spawn(t, rt, reeve.Sh(`sh -c 'trap "" TERM; echo ready; sleep 1000.`+mark+`' & wait`).Grace(100*time.Millisecond))
	awaitEvent(t, rt, p.ID(), isLine("ready"))
	if err := p.Cancel(); err != nil {
		t.Fatal(err)
	}
	wait(t, p)
	if left := marked(t, mark); len(left) > 0 {
		t.Errorf("survivors: %v", left)
	}
}

// A timeout gives the program its grace, like a cancel.
func TestTimeoutHasAGrace(t *testing.T) {
	rt := open(t, reeve.Config{})
	rec := finish(t, rt, reeve.Sh(`trap 'echo cleaning up; exit 0' TERM; echo ready; while :; do sleep 0.05; done`).Timeout(300*time.Millisecond))
	if got := output(t, rt, rec.ID, reeve.Stdout); got != "ready\ncleaning up\n" {
		t.Errorf("stdout %q", got)
	}
	if rec.ExitState != process.ExitTimeout {
		t.Errorf("a clean exit after the timeout became %s", rec.ExitState)
	}
}
