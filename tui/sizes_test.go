package tui

import (
	"context"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/teatest/v2"
	"github.com/reeverun/reeve/process"
)

// A screen on which nothing happens is not drawn again.
func TestNothingChanges(t *testing.T) {
	m := New(context.Background(), Config{Source: newScript()})
	defer m.Close()
	m.Update(pageMsg{first: true, last: true, all: true, at: noon, records: []process.Record{ended(1, process.ExitSuccess, "true")}})
	before := m.View().Content
	for range 10 {
		m.Update(tickMsg{})
	}
	if m.View().Content != before {
		t.Errorf("%s\n%s", before, m.View().Content)
	}
}

// Every size of a window is a size that can be drawn.
func TestSizes(t *testing.T) {
	s := family()
	w := open(t, s, 80, 24, nil)
	w.sees(settled)
	for _, keys := range [][]string{{}, {"tab"}, {"t"}, {"v"}, {"e"}, {"enter"}, {"K"}, {"esc", "esc", "?"}, {"x", "c", "some command"}} {
		w.press(keys...)
		for columns := 1; columns < 100; columns += 13 {
			for rows := 1; rows < 45; rows += 5 {
				w.Send(tea.WindowSizeMsg{Width: columns, Height: rows})
			}
		}
	}
	w.press("esc")
	w.Send(tea.WindowSizeMsg{Width: 80, Height: 24})
	w.sees("8 in all")
}

// With ten thousand processes only what is on the screen is drawn, and keys are
// answered.
func TestManyProcesses(t *testing.T) {
	s := newScript()
	for id := process.ID(1); id <= 10_000; id++ {
		r := ended(id, process.ExitSuccess, "job", id.String())
		if id%10 != 0 {
			r = below(id/10*10+10, r)
		}
		s.records[id] = r
	}
	w := open(t, s, 80, 24, nil)
	w.sees("10000 in all")
	w.press("G")
	w.sees(">     1 ✓")
	w.press("g", "left")
	w.sees("(+9)")
	for range 50 {
		w.press("j")
	}
	w.sees("> ")
	w.press("/", "job 7777", "enter")
	w.sees("job 7777")
	w.press("esc")
	for id := process.ID(1); id <= 10_000; id += 20 {
		s.set(ended(id, process.ExitFailed, "job", id.String()))
	}
	w.sees("500 failed")
}

// What somebody else deleted is noticed by counting.
func TestDeletedElsewhere(t *testing.T) {
	s := family()
	w := open(t, s, 80, 24, nil)
	w.sees(settled)
	s.change(func() { delete(s.records, 5) })
	for range 2 * countBeats { // seconds go by
		w.Send(tickMsg{})
	}
	w.seesNot("go test")
	w.sees("7 in all")
}

// The mouse selects and scrolls where it is on.
func TestMouse(t *testing.T) {
	s := family()
	w := open(t, s, 80, 24, func(c *Config) { c.Mouse = true })
	w.sees(settled)
	w.Send(tea.MouseClickMsg{X: 10, Y: 4, Button: tea.MouseLeft})
	w.sees(">   4 ")
	w.Send(tea.MouseWheelMsg{X: 10, Y: 4, Button: tea.MouseWheelDown})
	w.sees(">   7 ")
}

// What was started has ended when the dashboard has: TestMain counts goroutines.
func TestQuit(t *testing.T) {
	w := open(t, family(), 80, 24, nil)
	w.sees(settled)
	w.press("q")
	w.WaitFinished(t, teatest.WithFinalTimeout(patience))
}
