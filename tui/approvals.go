package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
)

// approvalsMsg is what waits for a person's decision.
type approvalsMsg struct {
	pending []process.Approval
	err     error
}

func (m *Model) fetchApprovals() tea.Cmd {
	return m.fx.do(func(ctx context.Context) tea.Msg {
		page, err := m.fx.source.Approvals(ctx, process.ApprovalQuery{State: process.ApprovalPending, Limit: process.MaxLimit})
		return approvalsMsg{page.Approvals, err}
	})
}

func (m *Model) takeApprovals(msg approvalsMsg) {
	if msg.err != nil { // the list says what is wrong with the daemon
		return
	}
	m.approvals = msg.pending
	slices.SortFunc(m.approvals, func(a, b process.Approval) int { return int(a.ID - b.ID) })
	m.markAsking()
}

// markAsking notes whose clocks stand still because a person has to decide.
func (m *Model) markAsking() {
	for _, n := range m.board.nodes {
		n.asks = false
	}
	for _, a := range m.approvals {
		if n := m.board.nodes[a.Process]; n != nil {
			n.asks = true
		}
	}
}

// decide shows the next call that waits: one of the selected process, else the
// oldest.
func (m *Model) decide(approve bool) tea.Cmd {
	if len(m.approvals) == 0 {
		m.say("nothing waits for a decision")
		return nil
	}
	at := max(0, slices.IndexFunc(m.approvals, func(a process.Approval) bool { return a.Process == m.selected }))
	m.showApproval(at, approve)
	return nil
}

func (m *Model) showApproval(at int, approve bool) {
	a := m.approvals[at]
	yes := choice{"y a", "let it go ahead", func() tea.Cmd { return m.decideNow(a, true, "") }}
	no := choice{"d D", "refuse it, and say why", func() tea.Cmd {
		m.ask("why not (may be empty): ", "", func(reason string) tea.Cmd { return m.decideNow(a, false, reason) })
		return nil
	}}
	choices := []choice{yes, no}
	if !approve {
		choices = []choice{no, yes}
	}
	if len(m.approvals) > 1 {
		choices = append(choices, choice{"n tab", fmt.Sprintf("look at the next of %d", len(m.approvals)), func() tea.Cmd {
			m.showApproval((at+1)%len(m.approvals), approve)
			return nil
		}})
	}
	title := fmt.Sprintf("Approval %s: process %s wants to call %s/%s", a.ID, a.Process, a.Service, a.Tool)
	m.dialog = &dialog{title: title, lines: m.theme.indented(a.Params), choices: choices}
}

// indented is JSON laid out for people.
func (t theme) indented(raw json.RawMessage) []string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		b.Reset()
		b.Write(raw)
	}
	lines := strings.Split(b.String(), "\n")
	for i := range lines {
		lines[i] = t.safe(lines[i])
	}
	return lines
}

func (m *Model) decideNow(a process.Approval, approve bool, reason string) tea.Cmd {
	do, what := m.fx.source.Deny, "denied"
	if approve {
		do, what = m.fx.source.Approve, "approved"
	}
	decided := m.fx.do(func(ctx context.Context) tea.Msg {
		_, err := do(ctx, a.ID, api.Decision{Reason: reason})
		if mayNot(err) {
			err = errors.New("deciding takes a token with the scope approve: put what 'reeve token create --scope run --scope approve' prints into REEVE_TOKEN and start top again")
		}
		if err != nil {
			return doneMsg{err: err}
		}
		return doneMsg{text: fmt.Sprintf("%s %s: %s/%s", what, a.ID, a.Service, a.Tool), ids: []process.ID{a.Process}}
	})
	return tea.Sequence(decided, m.fetchApprovals())
}

// mayNot reports whether the daemon refused who asks, not what was asked.
func mayNot(err error) bool {
	var status *client.StatusError
	return errors.As(err, &status) && (status.Status == 401 || status.Status == 403)
}
