package kernel

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/reeverun/reeve/process"
)

// transcriptPage is how many messages are read at a time.
const transcriptPage = 256

// Remember implements env.Host. Messages are numbered in the order of the
// process, whatever run they are of, and are durable when it returns.
func (h *host) Remember(ctx context.Context, messages ...process.Message) error {
	p := h.p
	p.hear()
	if len(messages) == 0 {
		return nil
	}
	messages = slices.Clone(messages) // what is stored is nobody else's to change
	for i := range messages {
		if err := tidy(&messages[i]); err != nil {
			return err
		}
	}
	stored, err := p.remember(ctx, messages)
	if err != nil {
		return err
	}
	return await(ctx, stored)
}

// remember numbers messages and hands them to the journal.
func (p *proc) remember(ctx context.Context, messages []process.Message) (<-chan error, error) {
	p.remembering.Lock()
	defer p.remembering.Unlock()
	if err := p.findLastMessage(ctx); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.resolved {
		return nil, notRunning(p.id, "has ended")
	}
	now := p.k.now()
	for i := range messages {
		p.lastMessage++
		m := &messages[i]
		m.Number, m.Run, m.At = p.lastMessage, p.rec.Number, now
	}
	stored := make(chan error, 1)
	e := &entry{done: func(err error) { stored <- err }}
	e.change.Messages = messages
	p.append(e, false)
	return stored, nil
}

// findLastMessage learns how far the process's transcript goes. Nobody else
// writes it: once is enough, and a process's first run begins with none.
// p.remembering is held.
func (p *proc) findLastMessage(ctx context.Context) error {
	if p.messagesKnown {
		return nil
	}
	if p.rec.Number == 1 && !p.reattached {
		p.messagesKnown = true
		return nil
	}
	all, err := p.k.allMessages(ctx, p.id)
	if err != nil {
		return err
	}
	if n := len(all); n > 0 {
		p.lastMessage = all[n-1].Number
	}
	p.messagesKnown = true
	return nil
}

// Transcript implements env.Host.
func (h *host) Transcript(ctx context.Context) ([]process.Message, error) {
	return h.p.k.allMessages(ctx, h.p.id)
}

func (k *Kernel) allMessages(ctx context.Context, id process.ID) (all []process.Message, err error) {
	for after := int64(0); ; {
		page, err := k.cfg.Store.Messages(ctx, id, after, transcriptPage)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if len(page) < transcriptPage {
			return all, nil
		}
		after = page[len(page)-1].Number
	}
}

// Transcript returns at most limit messages of what a process remembered, in
// all its runs, after a number.
func (k *Kernel) Transcript(ctx context.Context, id process.ID, after int64, limit int) ([]process.Message, error) {
	return k.cfg.Store.Messages(ctx, id, after, limit)
}

// tidy makes a message one that can be stored and shown: what a model or a tool
// said may hold any bytes.
func tidy(m *process.Message) (err error) {
	m.Text = strings.ToValidUTF8(m.Text, "\uFFFD")
	for _, s := range []*string{&m.CallID, &m.Name, &m.Model, &m.Finish} {
		*s = strings.ToValidUTF8(*s, "\uFFFD")
	}
	if m.Extra, err = compact(m.Extra); err != nil {
		return fmt.Errorf("the extra of a message is not JSON: %w", err)
	}
	m.Calls = slices.Clone(m.Calls)
	for i := range m.Calls {
		c := &m.Calls[i]
		c.ID, c.Name = strings.ToValidUTF8(c.ID, "\uFFFD"), strings.ToValidUTF8(c.Name, "\uFFFD")
		if c.Arguments, err = compact(c.Arguments); err != nil {
			return fmt.Errorf("the arguments of the call %q are not JSON: %w", c.ID, err)
		}
	}
	return nil
}

// compact copies JSON without the white space in it; none stays none.
func compact(b json.RawMessage) (json.RawMessage, error) {
	if len(b) == 0 {
		return nil, nil
	}
	var out bytes.Buffer
	err := json.Compact(&out, bytes.ToValidUTF8(b, []byte("\uFFFD")))
	return out.Bytes(), err
}
