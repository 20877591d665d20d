//go:build linux

package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

var small = m{"rows": 24, "cols": 80}

// shell makes a process with a terminal for people.
func (d *daemon) shell(t testing.TB, args ...any) int64 {
	t.Helper()
	return d.create(t, m{"environment": "command", "command": m{"program": "sh", "args": args, "pty": true, "window": small, "env": m{"PS1": "$ ", "ENV": ""}}}).id()
}

func (d *daemon) attach(t testing.TB, id int64, flags ...string) *console {
	t.Helper()
	return d.console(t, append([]string{"attach", itoa(id)}, flags...)...)
}

func TestIssue6Attach(t *testing.T) {
	t.Parallel()
	d := startReal(t, "--concurrency", "command=50")
	for name, f := range map[string]func(*testing.T, *daemon){
		"run --pty": runPTY, "detach": detach, "two": twoAttached, "kill": killAttached, "paste": paste, "vi": fullScreen,
		"look on": lookOn, "no input": attachNoInput, "open stdin": attachOpen, "pause": attachPaused, "signal": attachSignal, "plain": attachPlain,
		"no such": attachNothing, "redraw": attachRedraws,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, d)
		})
	}
}

// A shell as people use it: echo, size, Ctrl-C for what runs in it, Ctrl-D.
func runPTY(t *testing.T, d *daemon) {
	c := d.console(t, "run", "--pty", "--env", "ENV=", "--", "sh", "-i")
	c.sees("$ ")
	c.types("echo $((6*7)); stty size\r")
	c.sees("echo $((6*7)); stty size\r\n") // the echo
	c.sees("42\r\n")
	c.sees("30 100\r\n")
	c.size(40, 120)
	c.types("until stty size | grep -q '40 120'; do :; done; echo as large | tr ' ' _\r") // it arrives when it arrives
	c.sees("as_large")
	c.types("sh -c 'echo in front | tr \" \" _; exec sleep 1000'\r") // who says so is the one that Ctrl-C is for
	c.sees("in_front")
	c.types("\x03")
	c.types("echo still $$ here | tr ' ' -\r")
	c.sees("still-")
	c.types("exit 7\r")
	c.ends(7)

	c = d.console(t, "run", "--pty", "--", "cat")
	c.types("words\r")
	c.sees("words\r\nwords\r\n")
	c.types("\x04")
	c.ends(0)
}

func detach(t *testing.T, d *daemon) {
	id := d.shell(t, "-i")
	c := d.attach(t, id)
	c.sees("$ ")
	c.types("x=kept; echo remembered $x\r")
	c.sees("remembered kept\r\n")
	c.types("\x1d")
	c.sees("detached from")
	c.ends(0)
	if rec := d.record(t, id); rec.state() != "running" {
		t.Fatalf("it is %s", rec.state())
	}
	c = d.attach(t, id, "--detach-keys", "ctrl-p,ctrl-q")
	c.sees("remembered kept") // the last screen
	c.types("echo again $x\x10\x10\r")
	c.sees("again kept")
	c.types("\x10\x11")
	c.ends(0)
	c = d.attach(t, id, "--tail", "0")
	c.types("\rexit 3\r")
	c.ends(3)
	d.await(t, id, "idle")
	c = d.attach(t, id)
	c.sees("is not running")
	c.ends(1)
}

// All who are attached see the same, and all may type.
func twoAttached(t *testing.T, d *daemon) {
	id := d.shell(t, "-c", "while read x; do echo got $x; done; exit 4")
	a, b := d.attach(t, id), d.attach(t, id)
	a.types("first\r")
	a.sees("got first\r\n")
	b.sees("got first\r\n")
	b.types("second\r")
	a.sees("got second\r\n")
	b.sees("got second\r\n")
	a.types("\x1d")
	a.ends(0)
	b.types("\x04")
	b.ends(4)
}

func killAttached(t *testing.T, d *daemon) {
	id := d.shell(t, "-c", `trap "" HUP TERM; stty raw; printf '\033[?1049hdrawing'; sleep 1000`)
	c := d.attach(t, id)
	c.sees("drawing")
	d.kill(t, id, m{"now": true, "block": true})
	c.sees("\x1b[?1047l") // back from the other screen
	c.sees("was canceled")
	c.ends(130)
}

// What is typed arrives whole and in order, however much it is.
func paste(t *testing.T, d *daemon) {
	const size = 1 << 20
	c := d.console(t, "run", "--pty", "--detach-keys", "none", "--", "sh", "-c",
		fmt.Sprintf("stty raw -echo; echo ready; head -c %d | sha256sum", size))
	c.sees("ready")
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(rand.IntN(256))
	}
	sum := sha256.Sum256(data)
	c.types(string(data))
	c.sees(hex.EncodeToString(sum[:]))
	c.ends(0)
}

func fullScreen(t *testing.T, d *daemon) {
	vi, err := exec.LookPath("vi")
	if err != nil {
		t.Skip(err)
	}
	file := filepath.Join(t.TempDir(), "text")
	c := d.console(t, "run", "--pty", "--", vi, "-u", "NONE", "-n", file)
	c.sees("~") // an empty buffer
	c.types("ione\rtwo")
	c.sees("two")
	c.types("\x1b:wq\r")
	c.ends(0)
	if b, err := os.ReadFile(file); string(b) != "one\ntwo\n" {
		t.Errorf("%q, %v", b, err)
	}
}

func lookOn(t *testing.T, d *daemon) {
	id := d.shell(t, "-c", `trap 'echo changed' WINCH; stty size; read x; echo got $x; stty size`)
	c := d.attach(t, id, "--no-stdin")
	c.sees("24 80")
	c.types("nobody\r")
	d.post(t, path(id, "/input"), "told\n").want(t, 200)
	c.sees("got told")
	c.sees("24 80")
	c.ends(0)
}

func attachNoInput(t *testing.T, d *daemon) {
	id := d.sh(t, "echo out; echo err >&2; "+endless()).id()
	c := d.attach(t, id)
	c.sees("takes no input")
	c.sees("out\r\n")
	c.types("\x03")
	c.ends(130)
	if rec := d.record(t, id); rec.state() != "running" {
		t.Errorf("it is %s", rec.state())
	}
}

// An open stdin takes what is typed or piped, and ends with it.
func attachOpen(t *testing.T, d *daemon) {
	id := d.create(t, m{"environment": "command", "command": m{"program": "cat", "stdinOpen": true}}).id()
	d.await(t, id, "running")
	c := d.attach(t, id)
	c.types("typed\r")
	c.sees("typed\r\ntyped\r\n") // by this terminal, and by cat
	c.types("\x03")
	c.ends(130)
	pipe := exec.Command("sh", "-c", "echo piped | "+d.binary+" attach "+itoa(id))
	pipe.Env = d.client().Env
	if out, err := pipe.Output(); string(out) != "typed\npiped\n" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
	if out := d.await(t, id, "idle").wantEnd(t, "success").str("stdout"); out != "typed\npiped\n" {
		t.Errorf("%q", out)
	}
	if ran := d.reeve(t, "one\ntwo\n", "run", "-i", "--", "sh", "-c", "cat; echo err >&2; exit 5"); ran.code != 5 || ran.stdout != "one\ntwo\n" || !strings.Contains(ran.stderr, "err\n") {
		t.Errorf("%+v", ran)
	}
}

// What is typed while the program is paused is read when it goes on.
func attachPaused(t *testing.T, d *daemon) {
	id := d.shell(t, "-c", "read x; echo got $x")
	c := d.attach(t, id)
	waitFor(t, "running", func() bool { return d.record(t, id).state() == "running" })
	d.post(t, path(id, "/signals/pause"), m{}).want(t, 200)
	c.types("meanwhile\r")
	c.sees("meanwhile") // the terminal echoes, the program stands
	d.post(t, path(id, "/signals/resume"), m{}).want(t, 200)
	c.sees("got meanwhile")
	c.ends(0)
}

// A signal to the command leaves, and leaves the terminal as it was.
func attachSignal(t *testing.T, d *daemon) {
	id := d.shell(t, "-c", "echo up; "+endless())
	c := d.attach(t, id)
	c.sees("up")
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	c.sees("left")
	c.ends(143)
	if rec := d.record(t, id); rec.state() != "running" {
		t.Errorf("it is %s", rec.state())
	}
}

// A terminal without a window is for programs: it shows what they wrote.
func attachPlain(t *testing.T, d *daemon) {
	rec := d.create(t, m{"environment": "command", "block": true, "command": m{"program": "sh", "pty": true, "stdin": "one\ntwo",
		"args": []string{"-c", "test -t 0 && test -t 1 && test -t 2 && echo terminal; stty size; echo $TERM >&2; cat; exit 3"}, "env": m{"TERM": ""}}})
	if out, errs := rec.str("stdout"), rec.str("stderr"); out != "terminal\n24 80\nxterm\none\ntwo" || errs != "" {
		t.Errorf("%q, %q", out, errs)
	}
	rec.wantEnd(t, "failed")
	id := d.create(t, m{"environment": "command", "command": m{"program": "sh", "pty": true, "args": []string{"-c", "echo a; echo b; read x; echo got $x"}}}).id()
	c := d.attach(t, id)
	c.sees("a\r\nb\r\n") // lines begin at their beginning all the same
	c.types("word\r")
	c.sees("got word\r\n")
	c.ends(0)
}

func attachNothing(t *testing.T, d *daemon) {
	for args, code := range map[string]int{"attach": 2, "attach 987654": 1, "attach nobody": 1, "attach 1 2": 2, "attach 1 --json": 2,
		"attach 1 --detach-keys ctrl-1": 2, "attach 1 --tail -2": 2, "run --pty --raw-output disabled -- true": 2} {
		if got := d.reeve(t, "", strings.Fields(args)...); got.code != code || got.stdout != "" || got.stderr == "" {
			t.Errorf("%s: %+v", args, got)
		}
	}
}

// Whoever attaches to a program that draws the screen sees it drawn, also where
// the size is the one it has.
func attachRedraws(t *testing.T, d *daemon) {
	id := d.shell(t, "-c", `trap 'n=$((n+1)); echo drawn $n' WINCH; echo up; while :; do read x; done`)
	for range 2 {
		c := d.attach(t, id, "--tail", "0")
		c.sees("drawn")
		c.types("\x1d")
		c.ends(0)
	}
}

// The terminal is the keeper's: who is attached when the daemon dies is told so,
// and goes on with the next one, and so does the program.
func TestIssue6AttachOutlivesTheDaemon(t *testing.T) {
	t.Parallel()
	base := newBase(t)
	d := startRealIn(t, base, nil)
	id := d.shell(t, "-c", `while read x; do echo "got $x"; done; exit 6`)
	c := d.attach(t, id)
	c.types("before\r")
	c.sees("got before")
	for i := range 2 {
		d.crash()
		if i == 0 {
			c.sees("trying again")
		}
		d = startRealIn(t, base, nil)
		waitFor(t, "it is taken up", func() bool { return d.record(t, id).state() == "running" })
		c.types(fmt.Sprintf("after %d\r", i))
		c.sees(fmt.Sprintf("got after %d", i))
	}
	c.size(40, 90)
	other := d.attach(t, id)
	other.sees("got after 1")
	other.types("\x04")
	other.ends(6)
	c.ends(6)
}
