package reeve_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/interpret"
	"github.com/reeverun/reeve/process"
)

// testHost is another program that embeds Reeve: this test binary, started
// again. It prints the ids of what it spawned and stays until it is killed.
func testHost(mode string) int {
	if mode == "asking" {
		return askingHost()
	}
	if mode == "power" {
		return powerHost()
	}
	ctx := context.Background()
	rt, err := reeve.Open(ctx, reeve.Config{Dir: os.Getenv("REEVE_TEST_DIR"), Concurrency: 1 + len(os.Getenv("REEVE_TEST_ROUND"))})
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	switch mode {
	case "load":
		return loadHost(ctx, rt)
	case "zipped":
		p, err := rt.Spawn(ctx, reeve.Sh("echo begun; sleep 60").RawOutput(reeve.PersistGzipOnFinalize))
		if err != nil {
			fmt.Println("error:", err)
			return 1
		}
		for ev := range p.Events(ctx) {
			if ev.Kind == process.KindOutputAppended {
				break
			}
		}
		fmt.Println(p.ID())
	case "interrupted":
		p, err := rt.Spawn(ctx, reeve.Sh(`i=0; while [ $i -lt 500 ]; do echo line $i; i=$((i+1)); done; printf unfinished; echo ready >&2; sleep 60`).Tags("mark").
			InterpretedBy(hooks{line: func(c *interpret.Context, l interpret.Line) {
				if l.Text == "line 7" {
					c.Finding(process.Finding{Severity: process.Info, Code: "seven"})
				}
			}}))
		if err != nil {
			fmt.Println("error:", err)
			return 1
		}
		q, err := rt.Spawn(ctx, reeve.Sh("echo ran").Ref("queued").Env("TOKEN", "s3cret-value").Stdin([]byte("s3cret-input")))
		if err != nil {
			fmt.Println("error:", err)
			return 1
		}
		for ev := range p.Events(ctx) {
			if o, ok := ev.Data.(process.OutputAppended); ok && o.Line == "ready" {
				break
			}
		}
		fmt.Println(p.ID(), q.ID())
	}
	select {}
}

// startHost runs testHost and returns the first line it prints.
func startHost(t *testing.T, mode, dir string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "REEVE_TEST_HOST="+mode, "REEVE_TEST_DIR="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || strings.HasPrefix(line, "error:") {
		t.Fatalf("host: %q, %v", line, err)
	}
	return cmd, strings.TrimSpace(line)
}

// A run whose log is compressed at its end can be interrupted, too.
func TestHostKilledWithCompressedOutput(t *testing.T) {
	dir := t.TempDir()
	host, line := startHost(t, "zipped", dir)
	id, err := strconv.ParseInt(line, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	_ = host.Process.Kill()
	_ = host.Wait()
	rt := open(t, reeve.Config{Dir: dir})
	if rec := record(t, rt, reeve.ID(id)); rec.Error != process.ErrHostExited {
		t.Errorf("interrupted: %s/%s, error %q", rec.State, rec.ExitState, rec.Error)
	}
	if got := output(t, rt, reeve.ID(id), reeve.Stdout); got != "begun\n" {
		t.Errorf("output %q", got)
	}
}

func TestHostKilled(t *testing.T) {
	dir := t.TempDir()
	host, line := startHost(t, "interrupted", dir)
	var ids [2]reeve.ID
	for i, f := range strings.Fields(line) {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		ids[i] = reeve.ID(n)
	}
	if err := host.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = host.Wait()

	rt := open(t, reeve.Config{Dir: dir})
	rec := record(t, rt, ids[0])
	if rec.State != process.Idle || rec.ExitState != process.ExitFailed || rec.Error != "host process exited" {
		t.Errorf("interrupted: %s/%s, error %q", rec.State, rec.ExitState, rec.Error)
	}
	if r := rec.Outcome.Reason; r.Kind != process.FailSpawn || r.Error != "host process exited" {
		t.Errorf("outcome %+v", rec.Outcome)
	}
	if f := rec.Outcome.Findings; len(f) != 1 || f[0].Code != "seven" {
		t.Errorf("findings %+v", f)
	}
	all := events(t, rt, ids[0])
	gapless(t, all)
	got := lines(all, reeve.Stdout)
	if len(got) != 501 || got[499] != "line 499" || got[500] != "unfinished" {
		t.Errorf("%d lines, the last is %q", len(got), got[len(got)-1])
	}
	if all[len(all)-1].Kind != process.KindFinalized {
		t.Errorf("events end with %s", all[len(all)-1].Kind)
	}
	// The queued one runs, with its secrets.
	if _, err := rt.Wait(bounded(t), ids[1]); err != nil {
		t.Fatal(err)
	}
	if got := output(t, rt, ids[1], reeve.Stdout); got != "ran\n" {
		t.Errorf("queued: %q", got)
	}
	// Nothing of the interrupted one is left.
	if out, err := exec.Command("sh", "-c", "pgrep -f 'while \\[ .i -lt 500' || true").Output(); err == nil && len(bytes.TrimSpace(out)) > 0 {
		t.Errorf("still running: %s", out)
	}
	rt.Close()
	rt = open(t, reeve.Config{Dir: dir})
	if again := record(t, rt, ids[0]); again.Number != 1 || again.LastSeq != rec.LastSeq {
		t.Errorf("a second start changed it: %+v", again)
	}
}

func TestSecretsAreSealed(t *testing.T) {
	dir := t.TempDir()
	rt := open(t, reeve.Config{Dir: dir})
	task := reeve.Sh(`[ "$TOKEN" = s3cret-value ] && [ "$(cat)" = s3cret-input ]`).Env("TOKEN", "s3cret-value").Stdin([]byte("s3cret-input"))
	p := spawn(t, rt, task)
	if o := wait(t, p); !o.Succeeded() {
		t.Errorf("outcome %+v", o)
	}
	rec := record(t, rt, p.ID())
	for _, shown := range []string{fmt.Sprintf("%+v %#v %v", rec, rec.Command, rec.Command.Env), asJSON(t, rec), asJSON(t, events(t, rt, p.ID()))} {
		if strings.Contains(shown, "s3cret-") && !strings.Contains(shown, `= s3cret-`) {
			t.Errorf("shown: %s", shown)
		}
	}
	// The script itself names them; what is stored of env and stdin must not.
	secret := reeve.Command("true").Env("TOKEN", "only-here-7f3a").Stdin([]byte("only-here-7f3a"))
	wait(t, spawn(t, rt, secret))
	grep := func() {
		t.Helper()
		for _, name := range files(t, dir) {
			b, err := os.ReadFile(filepath.Join(dir, name))
			if err == nil && bytes.Contains(b, []byte("only-here-7f3a")) {
				t.Errorf("%s holds the secret in clear", name)
			}
		}
	}
	grep()
	rt.Close()
	grep()
	rt = open(t, reeve.Config{Dir: dir})
	again, err := rt.Run(t.Context(), p.ID(), reeve.RunOptions{Force: true})
	if err != nil {
		t.Fatal(err)
	}
	if o := wait(t, again); !o.Succeeded() {
		t.Errorf("re-run after a restart: %+v", o)
	}
}

func TestSecondOwnerIsRefused(t *testing.T) {
	dir := t.TempDir()
	rt := open(t, reeve.Config{Dir: dir})
	p := spawn(t, rt, reeve.Command("sleep", "60"))
	awaitEvent(t, rt, p.ID(), isKind(process.KindProcessStarted))
	_, err := reeve.Open(t.Context(), reeve.Config{Dir: dir})
	if !errors.Is(err, reeve.ErrOwned) || !strings.Contains(err.Error(), strconv.Itoa(os.Getpid())) {
		t.Errorf("got %v", err)
	}
	if rec := record(t, rt, p.ID()); rec.State != process.Running {
		t.Errorf("the live process became %s", rec.State)
	}
}

func TestNewerSchemaIsRefused(t *testing.T) {
	dir := t.TempDir()
	rt := open(t, reeve.Config{Dir: dir})
	id := finish(t, rt, reeve.Command("true")).ID
	rt.Close()
	path := filepath.Join(dir, "reeve.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("PRAGMA user_version = 9999"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reeve.Open(t.Context(), reeve.Config{Dir: dir}); !errors.Is(err, reeve.ErrUnsupportedSchema) || !strings.Contains(err.Error(), "9999") {
		t.Errorf("got %v", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the database was changed (%v)", err)
	}
	_ = id
}

func TestQueuedSurvivesClose(t *testing.T) {
	dir := t.TempDir()
	rt := open(t, reeve.Config{Dir: dir, Concurrency: 1})
	running := spawn(t, rt, reeve.Command("sleep", "60"))
	queued := spawn(t, rt, reeve.Command("echo", "later"))
	rt.Close()
	rt = open(t, reeve.Config{Dir: dir, Concurrency: 1})
	if rec := record(t, rt, running.ID()); rec.ExitState != process.ExitCanceled {
		t.Errorf("running: %+v", rec.Outcome)
	}
	if _, err := rt.Wait(bounded(t), queued.ID()); err != nil {
		t.Fatal(err)
	}
	if got := output(t, rt, queued.ID(), reeve.Stdout); got != "later\n" {
		t.Errorf("queued: %q", got)
	}
}

func TestRetention(t *testing.T) {
	dir := t.TempDir()
	rt := open(t, reeve.Config{Dir: dir, Retention: reeve.Retention{Events: time.Nanosecond, Logs: time.Nanosecond, PinnedTag: "keep", Every: -1}})
	old := finish(t, rt, reeve.Command("echo", "old")).ID
	pinned := finish(t, rt, reeve.Command("echo", "pinned").Tags("keep")).ID
	pruned, err := rt.Prune(t.Context())
	if err != nil || pruned.Events == 0 || pruned.Logs != 1 {
		t.Fatalf("pruned %+v, %v", pruned, err)
	}
	if rec := record(t, rt, old); rec.ExitState != process.ExitSuccess {
		t.Errorf("the record changed: %+v", rec)
	}
	if _, err := rt.WriteOutput(t.Context(), &bytes.Buffer{}, old, 0, reeve.Stdout); !errors.Is(err, reeve.ErrNotKept) {
		t.Errorf("old output: %v", err)
	}
	if got := output(t, rt, pinned, reeve.Stdout); got != "pinned\n" {
		t.Errorf("pinned output %q", got)
	}
	if n := len(events(t, rt, pinned)); n < 6 {
		t.Errorf("%d pinned events", n)
	}
	if again, err := rt.Prune(t.Context()); err != nil || again != (reeve.Pruned{}) {
		t.Errorf("second prune %+v, %v", again, err)
	}
}

func TestRetentionRunsBySchedule(t *testing.T) {
	dir := t.TempDir()
	rt := open(t, reeve.Config{Dir: dir, Retention: reeve.Retention{Logs: time.Nanosecond, Every: 20 * time.Millisecond}})
	id := finish(t, rt, reeve.Command("echo", "old")).ID
	path := filepath.Join(dir, "logs", id.String(), "1.stdout")
	for ctx := bounded(t); ; {
		if _, err := os.Stat(path); os.IsNotExist(err) {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatal("the log is still there")
		case <-time.After(10 * time.Millisecond):
		}
	}
}
