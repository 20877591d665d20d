package memory

import (
	"cmp"
	"context"
	"slices"

	"github.com/reeverun/reeve/process"
)

// remember adds messages to a transcript; one that is there stays as it is.
func (e *entry) remember(messages []process.Message) {
	for i := range messages {
		at, known := e.messageAt(messages[i].Number)
		if !known {
			e.messages = slices.Insert(e.messages, at, cloneMessage(&messages[i]))
		}
	}
}

// messageAt returns the place of a message, and whether it is there.
func (e *entry) messageAt(number int64) (int, bool) {
	return slices.BinarySearchFunc(e.messages, number,
		func(m process.Message, n int64) int { return cmp.Compare(m.Number, n) })
}

func cloneMessage(m *process.Message) process.Message {
	c := *m
	c.Calls = slices.Clone(m.Calls)
	for i := range c.Calls {
		c.Calls[i].Arguments = slices.Clone(c.Calls[i].Arguments)
	}
	c.Tokens, c.CostUSD = clonePtr(m.Tokens), clonePtr(m.CostUSD)
	c.Extra = slices.Clone(m.Extra)
	return c
}

// Messages implements [store.Store].
func (s *Store) Messages(ctx context.Context, id process.ID, after int64, limit int) ([]process.Message, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	e, err := s.find(id)
	if err != nil {
		return nil, err
	}
	from, known := e.messageAt(after)
	if known {
		from++
	}
	var page []process.Message
	for i := range e.messages[from:min(len(e.messages), from+max(limit, 0))] {
		page = append(page, cloneMessage(&e.messages[from+i]))
	}
	return page, nil
}
