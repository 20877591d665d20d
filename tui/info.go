package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/wording"
)

// info is what the info tab shows beside the record of the list.
type info struct {
	id    process.ID
	rec   *process.Record // with code and output
	runs  []process.RunRecord
	said  []process.Message
	usage []process.UsageSample
	of    time.Time // the record it was fetched for
	tab   tab       // and what for
	asked bool
	err   error
}

type infoMsg struct {
	id   process.ID
	rec  *process.Record
	runs []process.RunRecord
	said []process.Message // what is new of the transcript

	usage []process.UsageSample
	err   error
}

// refreshInfo fetches all of a process, if the tab is open and it has changed.
func (m *Model) refreshInfo() tea.Cmd {
	n := m.node()
	if m.tab != infoTab && m.tab != transcriptTab || n == nil || m.info.asked || m.info.id != m.selected || m.away != nil || m.info.of.Equal(n.seen) && m.info.tab == m.tab {
		return nil
	}
	m.info.asked, m.info.of, m.info.tab = true, n.seen, m.tab
	id := m.selected
	if m.tab == transcriptTab {
		return m.fetchTranscript(id)
	}
	return m.fx.do(func(ctx context.Context) tea.Msg {
		rec, err := m.fx.source.Record(ctx, id)
		if err != nil {
			return infoMsg{id: id, err: err}
		}
		runs, err := m.fx.source.Runs(ctx, id)
		if err != nil {
			return infoMsg{id: id, err: err}
		}
		usage, err := m.fx.source.Usage(ctx, id, 0)
		return infoMsg{id: id, rec: &rec, runs: runs, usage: usage.Samples, err: err}
	})
}

func (m *Model) takeInfo(msg infoMsg) {
	if msg.id != m.info.id {
		return
	}
	m.info.asked, m.info.err = false, msg.err
	if msg.err == nil && msg.rec != nil {
		m.info.rec, m.info.runs, m.info.usage = msg.rec, msg.runs, msg.usage
	}
	m.hear(msg.said)
}

// facts collects named lines.
type facts struct {
	theme theme
	lines []string
}

func (f *facts) add(name, text string) {
	if text != "" {
		f.lines = append(f.lines, f.theme.paint(dim, fmt.Sprintf("%-11s", name))+" "+f.theme.safe(text))
	}
}

func (f *facts) when(name string, s *process.Stamp) {
	if s != nil {
		f.add(name, s.Local().Format("2006-01-02 15:04:05"))
	}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// infoLines tell all there is to know about a process.
func (m *Model) infoLines() []string {
	n := m.node()
	if n == nil {
		return nil
	}
	r := &n.rec
	f := &facts{theme: m.theme}
	f.add("state", wording.State(r)+endText(r))
	f.add("command", wording.CommandLine(r))
	if c := r.Command; c != nil {
		f.add("directory", text(c.Dir))
	}
	f.add("label", text(r.Label))
	f.add("ref", text(r.Ref))
	f.add("tags", strings.Join(r.Tags, ", "))
	if r.Parent != nil {
		f.add("parent", r.Parent.String())
	}
	f.add("environment", r.Environment)
	f.when("created", &r.CreatedAt)
	f.when("started", r.StartedAt)
	f.when("completed", r.CompletedAt)
	f.add("error", text(r.Error))
	if r.Outcome != nil {
		f.add("outcome", wording.Outcome(r.Outcome))
	}
	m.usageLines(f, r)
	m.plotLines(f)
	m.deepLines(f)
	return f.lines
}

func endText(r *process.Record) string {
	if r.Exit == nil || r.State != process.Idle {
		return ""
	}
	return fmt.Sprintf(" (exit code %d: %s)", r.Exit.Code, r.Exit.Reason)
}

// deepLines are about what a list leaves out: findings, runs, output and code.
func (m *Model) deepLines(f *facts) {
	if m.info.err != nil {
		f.add("", m.info.err.Error())
	}
	if m.info.rec == nil {
		return
	}
	if o := m.info.rec.Outcome; o != nil {
		for _, finding := range o.Findings {
			f.add("finding", fmt.Sprintf("%s %s: %s", finding.Severity, finding.Code, finding.Message))
			if a := finding.Action; a != nil {
				f.add("", fmt.Sprintf("%s: %s", a.Kind, a.Value))
			}
		}
	}
	for _, run := range m.info.runs {
		state := "running"
		if run.ExitState != nil {
			state = string(*run.ExitState)
		}
		f.add(fmt.Sprintf("run %d", run.Run), fmt.Sprintf("%s, %s", state, wording.Duration(time.Duration(run.Usage.WallMS)*time.Millisecond)))
	}
	if out := m.info.rec.Output; out != nil && len(*out) > 0 {
		if raw, err := json.Marshal(*out); err == nil {
			f.lines = append(append(f.lines, f.theme.paint(dim, "output")), f.theme.indented(raw)...)
		}
	}
	if code := text(m.info.rec.Code); code != "" {
		f.lines = append(f.lines, f.theme.paint(dim, "code"))
		for line := range strings.Lines(code) {
			clean, _ := f.theme.clean(strings.TrimRight(line, "\r\n"), style{})
			f.lines = append(f.lines, "  "+clean)
		}
	}
}
