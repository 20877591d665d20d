package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
)

// Each key does what it says, and the screen says what came of it.
func TestActions(t *testing.T) {
	for name, f := range map[string]func(*script, *terminal){
		"pause and resume": func(s *script, w *terminal) {
			w.press("p")
			w.sees("1 process paused")
			w.sees("‖ paused        1m00s                          make all")
			w.press("p")
			w.sees("1 process resumed")
			w.press("p")
			w.sees("1 process paused")
			w.press("R")
			w.sees("1 process resumed")
		},
		"kill": func(s *script, w *terminal) {
			w.press("K", "x") // any other key means no
			w.press("K", "y")
			w.sees("12 processes ended, 0 left")
			if s.did("kill 2") || !s.did("kill 1") {
				w.t.Errorf("%v", s.calls)
			}
		},
		"kill several": func(s *script, w *terminal) {
			w.press("space", "space")
			w.sees("2 marked")
			w.press("K")
			w.sees("Kill 2 processes?")
			w.press("9")
			w.sees("12 processes ended")
			if !s.did("kill 1") || !s.did("kill 2") {
				w.t.Errorf("%v", s.calls)
			}
			w.press("esc", "esc")
			w.seesNot("marked")
		},
		"run again": func(s *script, w *terminal) {
			w.press("r")
			w.sees("it has not finished; K ends it")
			w.press("G", "r")
			w.sees("It has stored output. Earlier runs are kept.")
			w.press("y")
			w.sees("1 process started")
			if !s.did("start 5 {Force:true Resume:false Block:false}") {
				w.t.Errorf("%v", s.calls)
			}
		},
		"resume an agent": func(s *script, w *terminal) {
			agent := ended(9, process.ExitFailed, "agent")
			agent.Environment = process.EnvAgent
			s.set(agent)
			w.press("/", "agent", "enter")
			w.sees(">   9 ")
			w.press("R")
			w.sees("1 process went on")
			if !s.did("start 9 {Force:false Resume:true Block:false}") {
				w.t.Errorf("%v", s.calls)
			}
		},
		"events that were missed": func(s *script, w *terminal) {
			s.change(func() {
				s.records[9] = running(9, "unheard")
				s.feed = append(s.feed, process.New(process.Lagged{Missed: 7}))
			})
			w.sees("unheard")
		},
		"delete": func(s *script, w *terminal) {
			w.press("G", "d")
			w.sees("Delete 5 go test ./...?")
			w.press("y")
			w.sees("1 process deleted")
			w.until("gone", func(s string) bool { return !strings.Contains(s, "✗ failed") })
		},
		"resume what is not paused": func(s *script, w *terminal) {
			w.press("R")
			w.sees("it is not paused")
		},
		"signal": func(s *script, w *terminal) {
			w.press("S")
			w.sees("SIGINT: like Ctrl-C")
			w.press("i")
			w.sees("1 process got SIGINT")
		},
		"new command": func(s *script, w *terminal) {
			w.press("c", "make tests", "backspace", "enter")
			w.sees("started 99")
			w.sees(">  99 ● running")
			if !s.did("create make test") {
				w.t.Errorf("%v", s.calls)
			}
		},
		"approve": func(s *script, w *terminal) {
			w.press("a")
			w.sees("nothing waits for a decision")
		},
		"attach": func(s *script, w *terminal) {
			w.press("i")
			w.sees("attaching is not possible here")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := family()
			w := open(t, s, 80, 24, nil)
			w.sees(settled)
			w.t = t
			f(s, w)
		})
	}
}

// Who may not decide is told what to do.
func TestDeciding(t *testing.T) {
	s := family()
	s.approvals = []process.Approval{{ID: 3, Process: 1, Service: "shop", Tool: "buy"}, {ID: 4, Process: 2, Service: "shop", Tool: "sell"}}
	s.refuse = &client.StatusError{Status: 403, Err: process.Errorf("forbidden", "no")}
	w := open(t, s, 120, 24, nil)
	w.sees("2 to approve")
	w.press("a")
	w.sees("shop/buy")
	w.press("n")
	w.sees("shop/sell")
	w.press("y")
	w.sees("reeve token create --scope run --scope approve")
	s.change(func() { s.refuse = nil })
	w.press("D")
	w.sees("refuse it")
	w.press("d", "too dear", "enter")
	w.sees("denied 3: shop/buy")
	if !s.did("deny 3 too dear") {
		t.Errorf("%v", s.calls)
	}
}

// Searching narrows the list as one types, and finds in a log, also in what has
// to be fetched first.
func TestSearch(t *testing.T) {
	s := family()
	for i := range 5000 {
		s.say(1, fmt.Sprintf("line %d", i))
	}
	w := open(t, s, 80, 24, nil)
	w.sees("line 4999")
	w.press("/", "curl")
	w.seesNot("make all")
	w.sees("✗ timeout")
	w.press("enter", "esc")
	w.sees("make all")
	w.press("g", "tab", "/", "line 123", "enter")
	w.until("the newest match", func(screen string) bool { return strings.Contains(screen, "line 1239") })
	w.press("N", "N", "N", "N", "N", "N", "N", "N", "N", "N")
	w.until("the oldest match", func(screen string) bool {
		return strings.Contains(screen, " line 123\n") || strings.Contains(screen, " line 123 ")
	})
	w.press("N")
	w.sees("not found above")
	w.press("G")
	w.sees("line 4999")
	w.press("g")
	w.sees("no such file") // the second line of all
	w.press("pgdown")
	w.sees("line 10")
	w.press("G")
	w.sees("line 4999")
	w.press("f", "f")
	w.sees("paused")
}

// A clock stands still while its process is paused, waits for a person, or has
// ended.
func TestClock(t *testing.T) {
	now := noon
	later := noon.Add(30 * time.Second)
	b := newBoard(theme{})
	b.put(running(1, "a"), now)
	n := b.nodes[1]
	if d := n.clock(later); d != 90*time.Second {
		t.Errorf("running: %s", d)
	}
	n.asks = true
	if d := n.clock(later); d != time.Minute {
		t.Errorf("asking: %s", d)
	}
	paused := running(1, "a")
	paused.Paused = true
	b.put(paused, now)
	n.asks = false
	if d := n.clock(later); d != time.Minute {
		t.Errorf("paused: %s", d)
	}
	b.put(ended(1, process.ExitSuccess, "a"), now)
	if d := n.clock(later); d != 1500*time.Millisecond {
		t.Errorf("ended: %s", d)
	}
}

// The load is that of the last few seconds, and of what runs.
func TestLoad(t *testing.T) {
	b := newBoard(theme{})
	r := running(1, "a")
	for second := range 8 {
		b.put(r, noon.Add(time.Duration(second)*time.Second))
		r.Usage.CPUMS += 1500
		if second < 4 {
			r.Usage.CPUMS -= 1500 // nothing at first
		}
	}
	if cpu := b.nodes[1].cpu; cpu != 150 {
		t.Errorf("%v%%", cpu)
	}
	r.Paused = true
	b.put(r, noon.Add(time.Minute))
	if cpu := b.nodes[1].cpu; cpu >= 0 {
		t.Errorf("paused: %v%%", cpu)
	}
}

// No line is lost or repeated when the daemon goes away and comes back.
func TestDaemonAway(t *testing.T) {
	s := family()
	w := open(t, s, 80, 40, nil)
	w.sees(settled)
	s.say(1, "before")
	w.sees("before")
	s.change(func() { s.gone = true })
	w.sees("the daemon is away: trying again…")
	s.say(1, "meanwhile")
	s.set(running(9, "newcomer"))
	s.change(func() { s.gone = false })
	w.seesNot("the daemon is away")
	s.say(1, "after")
	screen := w.sees("after")
	w.sees("newcomer")
	for _, line := range []string{"before", "meanwhile", "after", settled} {
		if n := strings.Count(screen, line); n != 1 {
			t.Errorf("%q is there %d times:\n%s", line, n, screen)
		}
	}
}

// A partial line is replaced by what it becomes.
func TestPartialLine(t *testing.T) {
	s := newScript(running(1, "prompt"))
	w := open(t, s, 80, 24, nil)
	w.sees("Nothing yet.")
	live := func(seq int64, line string, partial bool) process.Event {
		return process.Event{Seq: seq, Process: 1, Run: 1, At: noon, Kind: process.KindOutputAppended, Data: process.OutputAppended{Stream: process.Stdout, Line: line, Partial: partial}}
	}
	s.change(func() { s.events[1] = append(s.events[1], live(1, "Name? ", true)) })
	w.sees("Name?")
	s.change(func() { s.events[1] = append(s.events[1], live(1, "Name? Ada", false), live(2, "hello", false)) })
	screen := w.sees("hello")
	if strings.Count(screen, "Name?") != 1 || !strings.Contains(screen, "Name? Ada") {
		t.Error(screen)
	}
}
