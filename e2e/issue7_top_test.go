//go:build linux

package e2e

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

var errNotYet = errors.New("not yet")

func TestIssue7Top(t *testing.T) {
	t.Parallel()
	d := startFast(t, "--concurrency", "command=50")
	for name, f := range map[string]func(*testing.T, *daemon){
		"control": topControls, "output": topOutput, "attach": topAttaches, "ascii": topASCII, "flood": topFlood, "signals": topSignals,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, d)
		})
	}
}

// line matches a row of the list.
func line(id int64, state string) func(string) bool {
	row := regexp.MustCompile(fmt.Sprintf(`(?m)^.. *%d +\S+ %s`, id, state))
	return row.MatchString
}

// onlySee narrows a list that others use, too.
func (w *tmux) onlySee(text string) {
	w.Helper()
	w.presses("/")
	w.sees("search:")
	w.presses("-l", text)
	w.presses("Enter")
	w.sees("/" + text)
}

// A tree is paused, goes on, is killed with proof, run again and deleted.
func topControls(t *testing.T, d *daemon) {
	w := d.top(t, 100, 30)
	w.sees("in all")
	label := unique("tree")
	parent := d.sh(t, "sleep 1 & sleep 1 & "+endless(), m{"label": label}).id()
	child := d.sh(t, endless(), m{"label": label + "-child", "parent": parent}).id()
	w.onlySee(label)
	w.until("the parent", line(parent, "running"))
	w.sees("└─ " + label + "-child")
	w.presses("g", "p")
	w.sees("2 processes paused")
	w.until("a paused child", line(child, "paused"))
	stopped := d.record(t, parent).obj("usage").num("wallMs")
	w.presses("p")
	w.sees("2 processes resumed")
	w.until("a running child", line(child, "running"))
	if now := d.record(t, parent).obj("usage").num("wallMs"); now < stopped {
		t.Errorf("%d ms, %d ms before", now, stopped)
	}
	w.presses("K")
	w.sees(", and 1 below it")
	w.presses("y")
	proof := w.until("the proof", regexp.MustCompile(`[0-9]+ processes ended, 0 left`).MatchString)
	if !line(parent, "canceled")(proof) {
		w.until("a canceled parent", line(parent, "canceled"))
	}
	d.await(t, child, "idle").wantEnd(t, "canceled")
	w.presses("r")
	w.sees("Earlier runs are kept")
	w.presses("y")
	w.until("the parent again", line(parent, "running"))
	if run := d.record(t, parent).num("run"); run != 2 {
		t.Errorf("run %d", run)
	}
	w.presses("K", "9")
	w.until("canceled", line(parent, "canceled"))
	w.presses("d")
	w.sees("This cannot be undone")
	w.presses("y")
	w.sees("1 process deleted")
	d.get(t, path(parent, "")).want(t, 404)
	w.resize(40, 10) // nothing is too small
	w.sees("in all")
	w.resize(120, 40)
	w.until("a wide screen", func(s string) bool { return strings.Contains(s, "t timeline") })
	w.presses("c")
	w.sees("run:")
	made := unique("made")
	w.presses("-l", "echo "+made+" $((6*7)) in $PWD")
	w.presses("Enter")
	w.sees(made + " 42 in /")
	w.presses("q")
	w.sees("left with 0")
}

// What a program writes is shown, in its colours, and does nothing else.
func topOutput(t *testing.T, d *daemon) {
	label := unique("hostile")
	id := d.sh(t, `printf '\033]0;stolen title\007\033[2J\033[Hred: \033[31mRED\033[0m\n'; printf '\033[?1049l\033[?25h\033c\033]52;c;AAAA\007after\n'; echo oops >&2; `+endless(), m{"label": label}).id()
	w := d.top(t, 80, 24)
	w.onlySee(label)
	screen := w.sees("oops")
	for _, want := range []string{"reeve top", " red: RED", " after", "? help"} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q is gone:\n%s", want, screen)
		}
	}
	title, _ := w.command("display-message", "-p", "-t", "top", "#{pane_title}").Output()
	if strings.Contains(string(title), "stolen") {
		t.Errorf("the title is %s", title)
	}
	coloured, _ := w.command("capture-pane", "-p", "-e", "-t", "top").Output()
	if !strings.Contains(string(coloured), "\x1b[31mRED") {
		t.Errorf("no colours: %q", coloured)
	}
	w.presses("e")
	w.sees("process_started")
	w.presses("t")
	w.until("the timeline", func(s string) bool { return strings.Contains(s, "run 1") && strings.Contains(s, "━") })
	w.presses("v")
	w.sees("environment command")
	d.kill(t, id, m{"now": true, "block": true})
	w.sees("exit code")
}

// Attaching leaves the screen to the process and comes back to it.
func topAttaches(t *testing.T, d *daemon) {
	label := unique("shell")
	d.create(t, m{"environment": "command", "label": label, "command": m{"program": "sh", "args": []any{"-i"}, "pty": true, "window": small, "env": m{"PS1": "$ ", "ENV": ""}}})
	w := d.top(t, 80, 24)
	w.onlySee(label)
	w.sees("running")
	w.presses("i")
	w.sees("attached to")
	w.presses("-l", "echo $((6*7)) bottles")
	w.presses("Enter")
	w.sees("42 bottles")
	w.presses("C-]")
	w.sees("back from")
	w.presses("Escape", "j", "k") // its keys are its own again
	w.sees("42 bottles")          // in the output
}

// Whatever ends the dashboard, the terminal is as it was before.
func topSignals(t *testing.T, d *daemon) {
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM} {
		w := d.top(t, 80, 24)
		w.sees("in all")
		if err := syscall.Kill(w.pid(), sig); err != nil {
			t.Fatal(err)
		}
		w.sees("left with 0")
		if screen, _ := w.command("display-message", "-p", "-t", "top", "#{alternate_on} #{cursor_flag}").Output(); string(screen) != "0 1\n" {
			t.Errorf("after %s: %s", sig, screen)
		}
	}
}

// A terminal without UTF-8 and colours gets neither.
func topASCII(t *testing.T, d *daemon) {
	label := unique("ascii")
	d.sh(t, "echo grün; "+endless(), m{"label": label})
	w := d.top(t, 80, 24, "LC_ALL=C", "NO_COLOR=1")
	w.onlySee(label)
	w.sees("[R] running")
	screen := w.sees("gr?n")
	for _, r := range screen {
		if r > '~' {
			t.Fatalf("%q is not ASCII:\n%s", r, screen)
		}
	}
	coloured, _ := w.command("capture-pane", "-p", "-e", "-t", "top").Output()
	if colour := regexp.MustCompile(`\x1b\[[0-9;]*(3|4|9)[0-7]m`).Find(coloured); colour != nil {
		t.Errorf("%q is a colour", colour)
	}
}

// Whoever watches a hundred thousand lines sees the last of them, can act
// meanwhile, and finds the first.
func topFlood(t *testing.T, d *daemon) {
	label := unique("flood")
	w := d.top(t, 80, 24)
	w.sees("in all")
	gate := t.TempDir() + "/gate"
	d.sh(t, "echo ready; until test -e "+gate+"; do sleep 0.02; done; seq -f 'line %.0f' 100000; echo the end; "+endless(), m{"label": label})
	w.onlySee(label)
	w.sees("ready")
	d.reeve(t, "", "run", "--", "touch", gate)
	w.sees("the end")
	w.sees("line 100000")
	w.presses("p")
	w.sees("1 process paused")
	w.presses("Tab", "/")
	w.presses("-l", "line 91234")
	w.presses("Enter")
	w.until("a line in the middle", func(s string) bool { return strings.Contains(s, "line 91233") && strings.Contains(s, "line 91235") })
	w.presses("g")
	w.sees(" ready")
	w.presses("G")
	w.sees("the end")
}

// The daemon may go and come back: who watches is told, and sees everything once.
func TestIssue7TopDaemonAway(t *testing.T) {
	t.Parallel()
	base := newBase(t)
	d := startFastIn(t, base, []string{"REEVE_STOP_JOBS=false"})
	gate := t.TempDir() + "/gate"
	id := d.sh(t, "echo before; until test -e "+gate+"; do sleep 0.02; done; echo after; "+endless()).id()
	w := d.top(t, 80, 24)
	w.sees("before")
	d.crash()
	w.sees("the daemon is away: trying again…")
	next := startFastIn(t, base, []string{"REEVE_STOP_JOBS=true"})
	w.seesNot("the daemon is away")
	if next.reeve(t, "", "run", "--", "touch", gate).code != 0 {
		t.Fatal("no gate")
	}
	screen := w.sees("after")
	if strings.Count(screen, " before\n") != 1 || strings.Count(screen, " after\n") != 1 {
		t.Errorf("not once:\n%s", screen)
	}
	w.presses("K", "y")
	w.sees("0 left")
	next.await(t, id, "idle")
}

// Many processes, more than one page of the API holds, are a list like any other:
// ten thousand by make torture.
func TestIssue7TopManyProcesses(t *testing.T) {
	t.Parallel()
	many := 2500
	if os.Getenv("REEVE_TORTURE") != "" {
		many = 10_000
	}
	d := startFast(t)
	d.createMany(t, many)
	w := d.top(t, 80, 24)
	w.sees(fmt.Sprintf("%d in all", many))
	w.presses("G")
	w.until("the first", regexp.MustCompile(`(?m)^> +1 `).MatchString)
	w.presses("g")
	w.until("the last", regexp.MustCompile(fmt.Sprintf(`(?m)^> +%d `, many)).MatchString)
	w.onlySee("job 1777")
	screen := w.until("it alone", regexp.MustCompile(`(?m)^> +[0-9]+ .* job 1777 *$`).MatchString)
	id, _ := strconv.ParseInt(regexp.MustCompile(`(?m)^> +([0-9]+)`).FindStringSubmatch(screen)[1], 10, 64)
	w.presses("r")
	w.sees("1 process started")
	d.await(t, id, "idle").wantEnd(t, "success")
}

// A call is shown with its parameters and decided; who may not decide is told what
// it takes.
func TestIssue7TopApprovals(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	d := s.start(t, newBase(t), asking)
	p := d.withPeople(t)
	id := d.ts(t, deletes(3)).id()
	d.pending(t, id)
	w := d.top(t, 120, 30, "REEVE_TOKEN="+p.run)
	w.sees("1 to approve")
	w.presses("a")
	w.sees(`"id": 3`)
	w.presses("y")
	w.sees("takes a token with the scope approve")
	w.presses("q")
	w.sees("left with 0")
	w = d.top(t, 120, 30, "REEVE_TOKEN="+p.approve)
	w.sees("1 to approve")
	w.presses("a", "y")
	w.sees("shop/delete_pet")
	w.sees("done /pets/3")
	d.await(t, id, "idle").wantEnd(t, "success")
	w.seesNot("to approve")
}
