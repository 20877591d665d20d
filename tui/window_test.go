package tui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/reeverun/reeve/process"
)

// A log that is scrolled stays where it is when its pane becomes taller.
func TestZoomStays(t *testing.T) {
	s := newScript(running(1, "talk"))
	for i := range 33 {
		s.say(1, fmt.Sprintf("line %02d.", i))
	}
	w := open(t, s, 80, 24, nil)
	w.sees("line 32.")
	w.press("tab", "up", "up", "enter")
	w.sees("14 of 33")
	w.sees("line 13.")
	for i := range 20 {
		s.say(1, fmt.Sprintf("more %02d.", i))
	}
	w.sees("14 of 53")
	w.sees("line 13.")
}

// The output of each run begins with its number, but for the first.
func TestRunsAreSeparated(t *testing.T) {
	s := newScript(running(1, "talk"))
	s.say(1, "the first")
	s.say(1, "the second")
	s.events[1][1].Run = 2
	w := open(t, s, 80, 24, nil)
	screen := w.sees("the second")
	if !strings.Contains(screen, "the first\n ── run 2 ──") || strings.Contains(screen, "run 1") {
		t.Error(screen)
	}
}

// What is searched for is selected, not what is left of where one was.
func TestSearchSelectsTheFirst(t *testing.T) {
	s := newScript(labelled(1, "job one"), labelled(2, "job two"), labelled(3, "other"), below(3, labelled(4, "job three")), labelled(5, "rest"))
	w := open(t, s, 80, 24, nil)
	w.sees("job one")
	w.press("G", "/", "job", "enter")
	w.sees(">   1 ")
	w.press("esc", "g", "/", "job", "enter") // 5 is on top, and 3 is there for 4
	w.sees(">   4 ")
	w.press("esc")
	w.sees("rest")
}

// A sentence that is too long for the status line is read to its end, and goes
// when it is not true any more.
func TestLongStatus(t *testing.T) {
	s := newScript(running(1, "talk"))
	w := open(t, s, 80, 24, nil)
	w.sees("talk")
	s.change(func() {
		s.refuse = fmt.Errorf("no daemon answers at unix:///run/reeve.sock (start one with 'reeve serve', or name another with --host): connection refused")
	})
	w.press("p")
	w.sees("name another with --host")
	s.change(func() { s.gone = true })
	w.sees("the daemon is away")
	s.change(func() { s.gone = false })
	w.seesNot("name another with --host")
}

// One Esc goes back, whatever the status line says.
func TestEscapeGoesBack(t *testing.T) {
	w := open(t, newScript(running(1, "talk"), ended(2, process.ExitSuccess, "true")), 80, 24, nil)
	w.sees("talk")
	w.press("enter", "p")
	w.sees("1 process paused")
	w.press("esc")
	w.sees("2 ✓")
	w.seesNot("1 process paused")
}

// Who only watches sees what comes on top; what a person has chosen stays.
func TestWatchersSeeTheTop(t *testing.T) {
	s := newScript(running(1, "first"))
	w := open(t, s, 80, 24, nil)
	w.sees(">   1 ")
	for id := process.ID(2); id < 30; id++ {
		s.set(running(id, "later"))
	}
	w.sees("29 ●")
	w.press("G", "up")
	w.sees(">   2 ")
	s.set(running(30, "last"))
	w.sees("30 running")
	w.sees(">   2 ")
}

// Who is asked about a tree is told how much of it runs, also what a search hides.
func TestKillCountsTheTree(t *testing.T) {
	s := newScript(running(1, "root"), below(1, running(2, "child")), below(2, running(3, "grandchild")), below(2, ended(4, process.ExitSuccess, "done")))
	w := open(t, s, 80, 24, nil)
	w.sees("root")
	w.press("/", "root", "enter", "K")
	w.sees("1 root, and 2 below it")
}

// All of what is to be approved can be read, however long it is.
func TestLongApproval(t *testing.T) {
	s := newScript(running(1, "buyer"))
	params, err := json.Marshal(map[string]any{"list": make([]int, 40), "text": strings.Repeat("x", 200) + "the end"})
	if err != nil {
		t.Fatal(err)
	}
	s.approvals = []process.Approval{{ID: 3, Process: 1, Service: "shop", Tool: "buy", Params: params}}
	w := open(t, s, 80, 24, nil)
	w.sees("approve? buyer")
	w.press("a")
	w.sees("more lines: down shows them")
	w.press("pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown")
	w.sees("the end")
	w.sees("let it go ahead")
}

// A tree is where the busiest of it belongs.
func TestTreesAreSortedByTheirHeaviest(t *testing.T) {
	busy := below(1, running(3, "busy"))
	busy.Usage.WallMS, busy.Usage.Tokens = 1_000_000, 900
	m := shown(t, running(1, "idler"), running(2, "middling"), busy, ended(4, process.ExitSuccess, "done"))
	m.board.nodes[2].cpu, m.board.nodes[3].cpu = 20, 80
	for _, o := range []order{byTime, byLoad, byTokens} {
		m.board.order = o
		m.arrange()
		if first := m.board.rows[0].rec.ID; first != 1 {
			t.Errorf("by %s: %d is first", o, first)
		}
	}
}

// An action about marked processes that a search hides does nothing, and says so.
func TestMarkedButHidden(t *testing.T) {
	w := open(t, newScript(running(1, "one"), running(2, "two")), 80, 24, nil)
	w.sees("two")
	w.press("space")
	w.sees("1 marked")
	w.press("/", "one", "enter", "K")
	w.sees("what is marked is not shown")
}
