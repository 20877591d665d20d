package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/reeverun/reeve/env/agent/model"
	"github.com/reeverun/reeve/process"
)

const (
	fullShare = 80 // per cent of the window, from which on it is full
	keepShare = 25 // per cent of the window that is kept as it is

	maxRendered = 8 << 10 // of one message, in the question for a summary
)

var errDoesNotFit = errors.New("the conversation does not fit the model's window, and there is nothing left to summarise")

// compact has the model summarise what is oldest. It is no step, but what it
// takes counts. The summary is remembered like any message, and says what it
// stands for; the transcript stays whole.
func (r *run) compact(ctx context.Context) error {
	all, err := r.host.Transcript(ctx)
	if err != nil {
		return r.kept(ctx, err)
	}
	t, _, err := read(all, r.in.Run)
	if err != nil {
		return r.kept(ctx, err)
	}
	size := min(t.size(), r.cfg.window(r.name))
	n := t.old(size * keepShare / 100)
	if n == 0 {
		return errDoesNotFit
	}
	text := t.render(n, int(size)*2) // half of it, at four bytes a token
	answer, err := r.ask(ctx, &tally{}, func() *model.Request {
		return &model.Request{Model: r.name, System: summaryPrompt, MaxTokens: r.cfg.MaxTokens,
			Messages: []process.Message{{Role: process.RoleUser, Text: text}}}
	}, nil)
	switch {
	case err != nil:
		return err
	case strings.TrimSpace(answer.Text) == "":
		return errors.New("the model gave no summary of the conversation, which does not fit its window")
	}
	s := process.Message{Step: t.last + 1, Role: process.RoleSummary, Text: answer.Text, Model: answer.Model,
		CostUSD: r.cfg.cost(r.name, answer.Usage), Replaces: t.rest[n-1].Number,
		Tokens: &process.MessageTokens{Input: answer.Usage.Input, Cached: answer.Usage.Cached, Output: answer.Usage.Output}}
	if err := r.remember(ctx, s); err != nil {
		return err
	}
	r.tell("the conversation was summarised to fit the model's window")
	kept := append([]process.Message(nil), t.rest[n:]...)
	r.talk = talk{system: t.system, intent: t.intent, summary: &s, rest: kept, last: t.last}
	return nil
}

// old is how many messages of the rest are to be summarised, so that what is
// kept has at most so many tokens. A call is not parted from its results.
func (t *talk) old(keep int64) int {
	n := len(t.rest)
	for i := n - 1; i >= 0; i-- {
		if estimate(t.rest[i:]...) > keep {
			break
		}
		if t.rest[i].Role == process.RoleAssistant {
			n = i
		}
	}
	if n == 0 && len(t.rest) > 0 { // all of it would be kept, which does not help
		for n = 1; n < len(t.rest) && t.rest[n].Role != process.RoleAssistant; n++ {
		}
	}
	return n
}

// render writes the first messages as one text of at most so many bytes: the
// beginning and the end, where the middle is too much.
func (t *talk) render(n, most int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The intent:\n%s\n", cut(t.intent.Text, most/4))
	if t.summary != nil {
		fmt.Fprintf(&b, "\nA summary of what came before:\n%s\n", cut(t.summary.Text, most/4))
	}
	var parts strings.Builder
	for i := range t.rest[:n] {
		m := &t.rest[i]
		fmt.Fprintf(&parts, "\n[%s%s]\n%s\n", m.Role, mark(m), cut(m.Text, maxRendered))
		for _, c := range m.Calls {
			fmt.Fprintf(&parts, "calls %s %s\n", c.Name, cut(string(c.Arguments), maxRendered/4))
		}
	}
	text := strings.ToValidUTF8(parts.String(), "\uFFFD")
	if half := most / 4; len(text) > 2*half {
		text = strings.ToValidUTF8(text[:half], "") + "\n[…]\n" + strings.ToValidUTF8(text[len(text)-half:], "")
	}
	b.WriteString(text)
	b.WriteString("\nSummarise this.")
	return b.String()
}

func mark(m *process.Message) string {
	switch {
	case m.Failed:
		return " " + m.Name + ", failed"
	case m.Name != "":
		return " " + m.Name
	}
	return ""
}
