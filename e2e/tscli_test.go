//go:build linux

package e2e

import (
	"bufio"
	"encoding/json"
	"strings"
	"syscall"
	"testing"
)

// reeve exec runs a file, an argument or its standard input, and exits as the
// program did.
func TestExec(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	code := "const n: number = 2;\nconsole.log(n + 1);\nconsole.error('aside');\n"
	file := writeFile(t, t.TempDir(), "job.ts", code)
	for _, how := range []struct {
		stdin string
		args  []string
	}{{"", []string{file}}, {"", []string{"-e", code}}, {code, []string{"-"}}, {"", []string{"--environment", "typescript", "--no-jit", file}}} {
		if got := d.reeve(t, how.stdin, append([]string{"exec"}, how.args...)...); got.code != 0 || got.stdout != "3\n" || !strings.HasSuffix(got.stderr, "aside\n") { // it may say that it is queued
			t.Errorf("exec %q: %+v", how.args, got)
		}
	}
	for _, test := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"-e", "throw new Error('no luck')"}, 1, "no luck"},
		{[]string{"-e", "let x: number = ;"}, 1, ":1:17: "},
		{[]string{"--timeout", "100ms", "-e", "for (;;);"}, 124, "timeout"},
		{[]string{"--cpu", "100ms", "-e", "for (;;);"}, 1, "CPU"},
		{[]string{"--memory", "32MiB", "-e", "const a = []; for (;;) a.push(new Array(1000).fill(1.5))"}, 1, "memory"},
		{[]string{"--max-output", "10KiB", "-e", "for (;;) console.log('x'.repeat(100))"}, 1, "output"},
		{[]string{"--memory", "many", "-e", ""}, 2, "memory"},
		{[]string{"--tool", "a/b/c", "-e", ""}, 2, "a/b/c"},
		{[]string{}, 2, "-e"},
		{[]string{file, file}, 2, ""},
		{[]string{"-e", "1", file}, 2, ""},
		{[]string{file + ".none"}, 1, "job.ts.none"},
		{[]string{"--environment", "nothing", "-e", ""}, 0, "nothing"},
	} {
		got := d.reeve(t, "", append([]string{"exec"}, test.args...)...)
		if got.code != test.code && test.code != 0 || got.code == 0 || !strings.Contains(got.stderr, test.says) {
			t.Errorf("exec %q: exit %d, stderr %q; want %d and %q", test.args, got.code, got.stderr, test.code, test.says)
		}
		if strings.Contains(got.stderr, `\n`) {
			t.Errorf("exec %q: it shows an escape: %q", test.args, got.stderr)
		}
	}
}

// --json and --detach, and what a program's syntax error looks like to a person.
func TestExecForPrograms(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	got := d.reeve(t, "", "exec", "--detach", "--label", "mine", "-e", "console.log(1)")
	id := strings.TrimSpace(got.stdout)
	if got.code != 0 || id == "" {
		t.Fatalf("--detach: %+v", got)
	}
	if w := d.reeve(t, "", "wait", id); w.code != 0 {
		t.Errorf("wait: %+v", w)
	}
	if l := d.reeve(t, "", "logs", id); l.stdout != "1\n" {
		t.Errorf("logs: %+v", l)
	}
	for line := range strings.Lines(d.reeve(t, "", "exec", "--json", "-e", "console.log(1)").stdout) {
		if !json.Valid([]byte(line)) {
			t.Errorf("--json printed %q", line)
		}
	}
	list := d.reeve(t, "", "env", "--json").stdout
	if !strings.Contains(list, `"typescript"`) {
		t.Errorf("env: %q", list)
	}
	if docs := d.reeve(t, "", "env", "typescript").stdout; !strings.Contains(docs, "reeve.output") {
		t.Errorf("env typescript: %.200q", docs)
	}
}

// Ctrl-C is passed on, twice kills: 130.
func TestExecInterrupted(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	for code, interrupts := range map[string]int{
		begun + "for (;;);": 1,
		"reeve.signal.onabort = () => console.log('deaf'); setInterval(() => {}, 1e6);" + begun: 2,
	} {
		cmd := d.client("exec", "-e", code)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(out)
		wantLine(t, lines, "begun\n")
		for n := range interrupts {
			if n > 0 {
				wantLine(t, lines, "deaf\n")
			}
			if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
		}
		if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
			t.Errorf("%s: after %d interrupts: %v", code, interrupts, cmd.ProcessState)
		}
	}
	id := d.runs(t, "for (;;);")
	done := make(chan ran)
	go func() { done <- d.reeve(t, "", "wait", itoa(id)) }()
	d.kill(t, id, block)
	if got := <-done; got.code != 130 {
		t.Errorf("wait for a killed one: %+v", got)
	}
}

// version and doctor name what runs programs and what confines them.
func TestVersionAndDoctor(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	version := d.reeve(t, "", "version")
	if !strings.Contains(version.stdout, "typescript: v8 ") && !strings.Contains(version.stdout, "typescript: quickjs ") {
		t.Errorf("version: %+v", version)
	}
	var told m
	if err := json.Unmarshal([]byte(d.reeve(t, "", "version", "--json").stdout), &told); err != nil {
		t.Fatal(err)
	}
	engines := mustJSON(t, told.obj("daemon")["engines"])
	wantJSON(t, d.get(t, "/version").want(t, 200).json(t)["engines"], engines)
	if !strings.Contains(engines, "typescript") || mustJSON(t, told.obj("client")["engines"]) != engines {
		t.Errorf("version --json: %v", told)
	}
	doctor := d.reeve(t, "", "doctor")
	confined, _ := d.ts(t, "", block).obj("enforced")["confined"].([]any)
	if !strings.Contains(doctor.stdout, "TypeScript") || len(confined) == 0 {
		t.Errorf("doctor says nothing of programs, or nothing confines them: %v\n%s", confined, doctor.stdout)
	}
	for _, by := range confined {
		if !strings.Contains(doctor.stdout, by.(string)) {
			t.Errorf("doctor does not name %v, which the record does", by)
		}
	}
}
