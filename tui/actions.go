package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/wording"
)

// doneMsg is what came of an action.
type doneMsg struct {
	text    string
	err     error
	records []process.Record // as they are now
	ids     []process.ID     // to be fetched again
}

// act does what a key asks of the processes that are marked or selected.
func (m *Model) act(key string) tea.Cmd {
	switch key {
	case "space", " ":
		m.mark()
		return nil
	case "a":
		return m.decide(true)
	case "D":
		return m.decide(false)
	case "c", ":":
		return m.newCommand()
	}
	about := m.targets()
	if len(about) == 0 {
		if len(m.marked) > 0 && slices.Contains(actionKeys(), key) {
			m.complain("what is marked is not shown: Esc brings it back")
		}
		return nil
	}
	m.moved = true // what it was about stays selected
	switch key {
	case "p":
		return m.pause(about)
	case "R":
		return m.resume(about)
	case "K":
		return m.kill(about)
	case "r":
		return m.rerun(about)
	case "d", "delete":
		return m.remove(about)
	case "S":
		return m.signal(about)
	case "i":
		return m.attach(about[0])
	}
	return nil
}

// actionKeys are those that are about what is marked or selected.
func actionKeys() []string { return []string{"p", "R", "K", "r", "d", "delete", "S", "i"} }

// mark marks the selected row, or takes the mark away, and goes on to the next.
func (m *Model) mark() {
	if m.selected == 0 {
		return
	}
	if m.marked[m.selected] {
		delete(m.marked, m.selected)
	} else {
		m.marked[m.selected] = true
	}
	m.walk(1)
}

// who names what an action is about.
func (m *Model) who(about []*node) string {
	if len(about) == 1 {
		const enough = 40 // who is asked, or told, needs no more
		return about[0].rec.ID.String() + " " + m.theme.clip(about[0].title, enough)
	}
	return wording.Plural(len(about), "process", "processes")
}

// task runs an action for each process and sums up.
func (m *Model) task(about []*node, what string, do func(context.Context, process.ID) (api.Signaled, error)) tea.Cmd {
	ids := idsOf(about)
	return m.fx.do(func(ctx context.Context) tea.Msg {
		reached, msg := 0, doneMsg{ids: ids}
		for _, id := range ids {
			done, err := do(ctx, id)
			if err != nil {
				msg.err = errors.Join(msg.err, fmt.Errorf("%s: %w", id, err))
				continue
			}
			reached += done.Affected
			if done.Process.ID == id {
				msg.records = append(msg.records, done.Process)
			}
		}
		if reached > 0 || msg.err == nil {
			msg.text = wording.Plural(reached, "process", "processes") + " " + what
		}
		return msg
	})
}

// takeDone says what came of an action.
func (m *Model) takeDone(msg doneMsg) tea.Cmd {
	for _, rec := range msg.records {
		m.board.put(rec, m.now)
		m.stale, m.built = true, time.Time{}
	}
	for _, id := range msg.ids {
		m.dirty[id] = true
	}
	switch {
	case msg.err != nil && msg.text != "":
		m.complain(msg.text + "; " + firstSentence(msg.err))
	case msg.err != nil:
		m.complain(firstSentence(msg.err))
	case msg.text != "":
		m.say(msg.text)
	}
	return nil
}

// pause pauses the trees, or lets them go on if all of them are paused.
func (m *Model) pause(about []*node) tea.Cmd {
	for _, n := range about {
		if n.rec.State == process.Running && !n.rec.Paused {
			return m.signalAll(about, process.SIGPAUSE, "paused", true)
		}
	}
	for _, n := range about {
		if n.rec.Paused {
			return m.signalAll(about, process.SIGRESUME, "resumed", true)
		}
	}
	m.complain(m.who(about) + ": only what runs can be paused")
	return nil
}

// resume lets what is paused go on, and an agent that has ended go on from its
// transcript.
func (m *Model) resume(about []*node) tea.Cmd {
	for _, n := range about {
		if n.rec.Paused {
			return m.signalAll(about, process.SIGRESUME, "resumed", true)
		}
	}
	for _, n := range about {
		if n.rec.State == process.Idle && n.rec.Environment == process.EnvAgent && n.rec.Run > 0 {
			return m.task(about, "went on from the transcript", func(ctx context.Context, id process.ID) (api.Signaled, error) {
				rec, err := m.fx.source.Start(ctx, id, api.Run{Resume: true})
				return api.Signaled{Affected: 1, Process: rec}, err
			})
		}
	}
	m.complain(m.who(about) + ": it is not paused; r runs it again")
	return nil
}

func (m *Model) signalAll(about []*node, sig process.Signal, what string, tree bool) tea.Cmd {
	return m.task(about, what, func(ctx context.Context, id process.ID) (api.Signaled, error) {
		done, err := m.fx.source.Signal(ctx, id, sig, api.Signal{Tree: tree})
		if errors.Is(err, process.ErrNotRunning) && len(about) > 1 {
			return done, nil // of several, those that run are meant
		}
		return done, err
	})
}

// signal asks which signal to send.
func (m *Model) signal(about []*node) tea.Cmd {
	send := func(sig process.Signal, what string) func() tea.Cmd {
		return func() tea.Cmd { return m.signalAll(about, sig, what, false) }
	}
	m.dialog = &dialog{title: "Send a signal to " + m.who(about) + "?", choices: []choice{
		{"t", "SIGTERM: it is asked to end, and decides itself", send(process.SIGTERM, "got SIGTERM")},
		{"i", "SIGINT: like Ctrl-C", send(process.SIGINT, "got SIGINT")},
		{"p", "pause it alone, not what is below it", send(process.SIGPAUSE, "paused")},
		{"u", "let it alone go on", send(process.SIGRESUME, "resumed")},
	}}
	return nil
}
