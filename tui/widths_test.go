package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/reeverun/reeve/process"
)

// shown is a dashboard of records that nothing reads from.
func shown(t *testing.T, records ...process.Record) *Model {
	m := New(t.Context(), Config{Source: newScript()})
	t.Cleanup(m.Close)
	m.Update(pageMsg{first: true, last: true, all: true, at: noon, records: records})
	return m
}

func labelled(id process.ID, label string) process.Record {
	r := ended(id, process.ExitSuccess, "true")
	r.Label = &label
	return r
}

// Columns are counted as the terminal counts them: emoji of several parts are wide
// on an old one, and one character on one that says so.
func TestWidths(t *testing.T) {
	m := shown(t, labelled(1, strings.Repeat("👍🏽🇩🇪", 40)))
	check := func(method ansi.Method) {
		t.Helper()
		for i, line := range strings.Split(m.View().Content, "\n") {
			if got := method.StringWidth(line); got > 80 || i == 2 && got < 79 {
				t.Errorf("%d columns: %q", got, line)
			}
		}
	}
	check(ansi.WcWidth)
	m.Update(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset})
	check(ansi.GraphemeWidth)
}

// However deep a tree is, names are seen, and it takes no more memory than others.
func TestDeepTree(t *testing.T) {
	const depth = 2000
	records := []process.Record{labelled(1, "level 1")}
	for id := process.ID(2); id <= depth; id++ {
		records = append(records, below(id-1, labelled(id, fmt.Sprintf("level %d", id))))
	}
	m := shown(t, records...)
	m.Update(tea.KeyPressMsg{Code: 'G', Text: "G"})
	if content := ansi.Strip(m.View().Content); !strings.Contains(content, "└─ level 2000") || !strings.Contains(content, "…") {
		t.Error(content)
	}
	if longest := len(m.board.rows[depth-1].branch); longest > 4*3*(levels+1) {
		t.Errorf("a branch of %d bytes", longest)
	}
}

// What has no label is named by its reference, and by what it runs.
func TestTitles(t *testing.T) {
	ref, label, code := "nightly", "build", "console.log(1)\n  await x"
	for want, r := range map[string]process.Record{
		"nightly":                {Ref: &ref, Environment: "typescript"},
		"nightly: build":         {Ref: &ref, Label: &label, Code: &code},
		"console.log(1) await x": {Code: &code},
		"typescript":             {Environment: "typescript"},
	} {
		if got := titleOf(&r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
