package agent

import (
	"errors"
	"strings"

	"github.com/reeverun/reeve/env/agent/model"
	"github.com/reeverun/reeve/process"
)

// talk is a conversation as the model is shown it: the system's word, the
// intent, a summary of what was too long, and the rest, in which the results of
// an assistant's calls follow it.
type talk struct {
	system, intent process.Message
	summary        *process.Message
	rest           []process.Message
	last           int // the number of the last finished step

	// measured is how many tokens the model counted when it was asked last,
	// its answer included; 0: it was not since the last summary. Of the rest,
	// what comes after the first counted messages is not in it.
	measured int64
	counted  int
}

var errNoTalk = errors.New("the transcript holds no conversation")

// read finds the last conversation of a transcript, without steps that were not
// finished, and how many steps of it a run has taken.
func read(all []process.Message, run int) (t talk, steps int, err error) {
	begin := -1
	for i := range all {
		if all[i].Role == process.RoleSystem {
			begin = i
		}
	}
	if begin < 0 || begin+1 >= len(all) || all[begin+1].Role != process.RoleUser {
		return talk{}, 0, errNoTalk
	}
	t.system, t.intent = all[begin], all[begin+1]
	all = all[begin+2:]
	summary := -1
	for i, m := range all {
		if m.Role == process.RoleSummary {
			t.summary, summary = &m, i // a copy: the transcript may be long, and this is kept
		}
	}
	for i := 0; i < len(all); i++ {
		m := &all[i]
		n, whole := results(all[i:])
		speaks := m.Role == process.RoleUser || m.Role == process.RoleAssistant && m.Finish != model.FinishRefused
		if speaks && whole {
			t.last = max(t.last, m.Step)
			if m.Run == run && m.Role == process.RoleAssistant {
				steps++
			}
			if t.summary == nil || m.Number > t.summary.Replaces {
				t.add(all[i : i+1+n]...)
			}
		}
		if i == summary { // what was counted before it does not hold any more
			t.measured = 0
		}
		i += n
	}
	return t, steps, nil
}

// results counts the results that follow a message, and says whether they are
// all it asks for.
func results(all []process.Message) (n int, whole bool) {
	calls := all[0].Calls
	for n < len(calls) && n+1 < len(all) && all[n+1].Role == process.RoleTool && all[n+1].CallID == calls[n].ID {
		n++
	}
	return n, n == len(calls)
}

// add adds an assistant's message, with the results of its calls if there are
// any yet.
func (t *talk) add(messages ...process.Message) {
	m := &messages[0]
	t.rest = append(t.rest, messages...)
	if m.Role == process.RoleAssistant && m.Tokens != nil {
		t.measured = m.Tokens.Input + m.Tokens.Output
		t.counted = len(t.rest) - len(messages) + 1
	}
}

// size is about how many tokens the conversation has.
func (t *talk) size() int64 {
	if t.measured > 0 {
		return t.measured + estimate(t.rest[t.counted:]...)
	}
	n := estimate(t.system, t.intent) + estimate(t.rest...)
	if t.summary != nil {
		n += estimate(*t.summary)
	}
	return n
}

// estimate is about how many tokens messages have, by their bytes.
func estimate(messages ...process.Message) (n int64) {
	for i := range messages {
		m := &messages[i]
		bytes := len(m.Text) + len(m.Extra)
		for _, c := range m.Calls {
			bytes += len(c.Name) + len(c.Arguments)
		}
		n += int64(bytes)/4 + 8
	}
	return n
}

// messages are what the model is shown after the system's word.
func (t *talk) messages() []process.Message {
	shown := make([]process.Message, 0, len(t.rest)+2)
	shown = append(shown, t.intent)
	if t.summary != nil {
		shown = append(shown, process.Message{Role: process.RoleUser, Text: summaryPreface + t.summary.Text})
	}
	return append(shown, t.rest...)
}

// result is the model's last word, if it has spoken it. One that was cut off
// goes on in the next message.
func (t *talk) result() (string, bool) {
	i := len(t.rest) - 1
	if i < 0 || !final(&t.rest[i]) || t.rest[i].Finish == model.FinishLength {
		return "", false
	}
	parts := []string{t.rest[i].Text}
	for i -= 2; i >= 0 && final(&t.rest[i]) && t.rest[i].Finish == model.FinishLength; i -= 2 {
		parts = append([]string{t.rest[i].Text}, parts...)
	}
	return strings.Join(parts, ""), true
}

func final(m *process.Message) bool { return m.Role == process.RoleAssistant && len(m.Calls) == 0 }
