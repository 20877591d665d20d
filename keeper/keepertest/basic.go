package keepertest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/process"
)

func exitCodes(r *rig) {
	for code, script := range map[int]string{0: "true", 7: "exit 7", 255: "exit 255"} {
		p := r.sh(script)
		if p.PID() <= 0 {
			r.Errorf("pid %d", p.PID())
		}
		r.exits(p, keeper.Exit{Code: code})
		r.exits(p, keeper.Exit{Code: code}) // again, after the end
		if err := p.WaitEmpty(r.ctx()); err != nil {
			r.Errorf("wait for the tree: %v", err)
		}
	}
}

func exitSignals(r *rig) {
	r.exits(r.sh("kill -KILL $$"), keeper.Exit{Code: 137, Signal: "SIGKILL"})
	r.exits(r.sh("kill -TERM $$"), keeper.Exit{Code: 143, Signal: "SIGTERM"})
	r.exits(r.sh("ulimit -c 0; kill -SEGV $$"), keeper.Exit{Code: 139, Signal: "SIGSEGV"})
}

func streams(r *rig) {
	errOut, errIn := r.pipe()
	p := r.start(keeper.Spec{Path: "/bin/sh", Args: []string{"-c", "cat; echo to stderr >&2"}, Stderr: errIn})
	errIn.Close()
	if _, err := p.stdin.WriteString("to stdin\n"); err != nil {
		r.Fatal(err)
	}
	p.stdin.Close()
	if got := p.rest(); got != "to stdin\n" {
		r.Errorf("stdout %q", got)
	}
	if b, err := io.ReadAll(errOut); err != nil || string(b) != "to stderr\n" {
		r.Errorf("stderr %q, %v", b, err)
	}
	r.exits(p, keeper.Exit{})
}

func nullDevice(r *rig) {
	j, err := r.Spawn(r.ctx(), keeper.Spec{Path: "/bin/sh", Env: env(),
		Args: []string{"-c", "read x && exit 1; echo a && echo b >&2 && exit 9"}})
	if err != nil {
		r.Fatal(err)
	}
	defer j.Release()
	if e, err := j.Wait(r.ctx()); err != nil || e.Code != 9 {
		r.Errorf("%+v, %v", e, err)
	}
}

// environment allows for the one variable that some tiers add.
func environment(r *rig) {
	want := []string{"A=1", "B=two words", "EMPTY=", "PATH=/nowhere"}
	p := r.start(keeper.Spec{Path: "/usr/bin/env", Env: slices.Clone(want)})
	got := strings.Split(strings.TrimSuffix(p.rest(), "\n"), "\n")
	marked := r.Tier() == keeper.TierSubreaper || r.Tier() == keeper.TierGroup
	got = slices.DeleteFunc(got, func(s string) bool { return marked && strings.HasPrefix(s, "REEVE_RUN=") })
	slices.Sort(got)
	if !slices.Equal(got, want) {
		r.Errorf("environment %q instead of %q", got, want)
	}
	p = r.start(keeper.Spec{Path: "/usr/bin/env", Env: []string{}})
	if got := p.rest(); strings.Count(got, "=") > 1 || !marked && got != "" {
		r.Errorf("an empty environment shows %q", got)
	}
}

func directory(r *rig) {
	dir, err := filepath.EvalSymlinks(r.TempDir())
	if err != nil {
		r.Fatal(err)
	}
	p := r.start(keeper.Spec{Path: "/bin/pwd", Dir: dir})
	if got := p.line(); got != dir {
		r.Errorf("in %q instead of %q", got, dir)
	}
	writeScript(r, dir+"/tool", "echo here")
	p = r.start(keeper.Spec{Path: "./tool", Dir: dir})
	p.expect(1, "here")
}

func writeScript(r *rig, path, body string) {
	r.Helper()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		r.Fatal(err)
	}
}

func lookup(r *rig) {
	one, two := r.TempDir(), r.TempDir()
	writeScript(r, two+"/reeve-test-tool", `echo "$0" "$1"`)
	if err := os.WriteFile(one+"/reeve-test-tool", nil, 0o644); err != nil {
		r.Fatal(err)
	}
	path := "PATH=relative::" + one + ":" + two + ":/usr/bin:/bin"
	p := r.start(keeper.Spec{Path: "reeve-test-tool", Args: []string{"x"}, Env: []string{path}})
	p.expect(1, two+"/reeve-test-tool x")

	_, err := r.try(keeper.Spec{Path: "reeve-test-tool", Env: []string{"PATH=:."}, Dir: two})
	refused(r, err, keeper.OpFind, exec.ErrNotFound)
	_, err = r.try(keeper.Spec{Path: "reeve-test-tool", Env: []string{"PATH=" + one}})
	refused(r, err, keeper.OpFind, fs.ErrPermission)
}

func refused(r *rig, err error, op string, want error) {
	r.Helper()
	var e *keeper.SpawnError
	if !errors.As(err, &e) {
		r.Errorf("%v is no SpawnError", err)
		return
	}
	if e.Op != op || !errors.Is(err, want) {
		r.Errorf("op %q, error %v; want op %q and %v", e.Op, err, op, want)
	}
}

func refusals(r *rig) {
	dir := r.TempDir()
	file := dir + "/plain"
	if err := os.WriteFile(file, []byte("neither program nor script"), 0o644); err != nil {
		r.Fatal(err)
	}
	writeScript(r, dir+"/lost", "")
	if err := os.WriteFile(dir+"/lost", []byte("#!/no/such/interpreter\n"), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(dir+"/odd", []byte{0, 1, 2, 3}, 0o755); err != nil {
		r.Fatal(err)
	}
	for _, c := range []struct {
		path, dir, op string
		want          error
	}{
		{"/no/such/program", "", keeper.OpExec, fs.ErrNotExist},
		{"no-such-program", "", keeper.OpFind, exec.ErrNotFound},
		{"./no-such-program", dir, keeper.OpExec, fs.ErrNotExist},
		{file, "", keeper.OpExec, fs.ErrPermission},
		{dir, "", keeper.OpExec, fs.ErrPermission},
		{dir + "/lost", "", keeper.OpExec, fs.ErrNotExist},
		{dir + "/odd", "", keeper.OpExec, syscall.ENOEXEC},
		{"/bin/sh", dir + "/nowhere", keeper.OpChdir, fs.ErrNotExist},
		{"/bin/sh", file, keeper.OpChdir, syscall.ENOTDIR},
	} {
		_, err := r.try(keeper.Spec{Path: c.path, Dir: c.dir})
		refused(r, err, c.op, c.want)
	}
	if os.Getuid() != 0 {
		closed := dir + "/closed"
		if err := os.Mkdir(closed, 0); err != nil {
			r.Fatal(err)
		}
		_, err := r.try(keeper.Spec{Path: "/bin/sh", Dir: closed})
		refused(r, err, keeper.OpChdir, fs.ErrPermission)
	}
}

func refusedArguments(r *rig) {
	arg := func(a ...string) keeper.Spec { return keeper.Spec{Path: "/bin/echo", Args: a} }
	_, err := r.try(arg("a\x00b"))
	refused(r, err, keeper.OpCheck, syscall.EINVAL)
	_, err = r.try(keeper.Spec{Path: "/bin/echo", Env: []string{"A=\x00"}})
	refused(r, err, keeper.OpCheck, syscall.EINVAL)
	_, err = r.try(keeper.Spec{})
	refused(r, err, keeper.OpCheck, fs.ErrNotExist)

	const most = 131071
	_, err = r.try(arg(strings.Repeat("x", most+1)))
	refused(r, err, keeper.OpCheck, syscall.E2BIG)
	if err == nil || !strings.Contains(err.Error(), "argument 1 has 131072 bytes") {
		r.Errorf("the sentence does not help: %v", err)
	}
	p := r.start(keeper.Spec{Path: "/bin/sh", Args: []string{"-c", "echo ${#1}", "sh", strings.Repeat("x", most)}})
	p.expect(1, "131071")
	_, err = r.try(arg(slices.Repeat([]string{strings.Repeat("x", most)}, 100)...))
	refused(r, err, keeper.OpExec, syscall.E2BIG)
}

func cancelled(r *rig) {
	why := errors.New("no longer wanted")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(why)
	if _, err := r.Spawn(ctx, keeper.Spec{Path: "/bin/true"}); !errors.Is(err, why) {
		r.Errorf("spawn with a cancelled context: %v", err)
	}
}

func unknownSignal(r *rig) {
	p := r.sh("read x")
	for _, s := range []process.Signal{0, process.SIGPAUSE, process.SIGRESUME, 9} {
		if _, err := p.Signal(s); !errors.Is(err, process.ErrInvalid) {
			r.Errorf("signal %d: %v", s, err)
		}
	}
}

func closesStdout(r *rig) {
	p := r.sh("exec >&- 2>&-; read x; exit 4")
	if got := p.rest(); got != "" {
		r.Errorf("output %q", got)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Wait(ctx); !errors.Is(err, context.Canceled) {
		r.Errorf("it should still run: %v", err)
	}
	_, _ = io.Copy(p.stdin, bytes.NewReader([]byte("go\n")))
	r.exits(p, keeper.Exit{Code: 4})
}
