package storetest

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// FullMessage returns a message in which every field is set, as Full does for
// processes.
func FullMessage(number int64, seed int) process.Message {
	var m process.Message
	f := &filler{n: seed * 1000}
	f.fill(reflect.ValueOf(&m).Elem())
	m.Number = number
	m.Extra = json.RawMessage(`{"signature":"<&>` + "\u2028" + ` ü","n":1.50}`)
	for i := range m.Calls {
		m.Calls[i].Arguments = json.RawMessage(`{"b":[1,2],"a":"<b>"}`)
	}
	return m
}

func (f *fixture) messages(id process.ID, after int64, limit int) []process.Message {
	f.Helper()
	return must(f.s.Messages(f.ctx, id, after, limit))(f)
}

func testMessages(f *fixture) {
	_, err := f.s.Messages(f.ctx, 1, 0, 10)
	f.wantErr("unknown", err, process.ErrNotFound)
	p, other := f.process(), f.add()
	first := FullMessage(1, 1)
	insert := f.insertion(p)
	insert.Messages = []process.Message{first} // with the process itself
	f.apply(insert)

	long := process.Message{Number: 2, Run: 1, At: f.tick(), Role: process.RoleTool,
		Text: strings.Repeat("much \x00 \u2028 <b>", 1<<16)}
	bare := process.Message{Number: 3}
	gap := FullMessage(7, 2)
	f.apply(store.Change{ID: p.ID, Messages: []process.Message{long, bare}},
		store.Change{ID: other.ID, Messages: []process.Message{FullMessage(1, 3)}},
		store.Change{ID: p.ID, Messages: []process.Message{gap}})
	all := []process.Message{first, long, bare, gap}
	f.wantSame("all", f.messages(p.ID, 0, 100), all)
	f.wantSame("a page", f.messages(p.ID, 1, 2), all[1:3])
	f.wantSame("after a gap", f.messages(p.ID, 5, 2), all[3:])
	f.wantSame("after the last", f.messages(p.ID, 7, 2), []process.Message{})
	f.wantSame("no room", f.messages(p.ID, 0, 0), []process.Message{})
	f.wantSame("of the other", f.messages(other.ID, 0, 10), []process.Message{FullMessage(1, 3)})
}

// testMessagesOnce: a writer that is not sure may write again, and changes
// nothing.
func testMessagesOnce(f *fixture) {
	p := f.add()
	first, second := FullMessage(1, 1), FullMessage(2, 2)
	f.apply(store.Change{ID: p.ID, Messages: []process.Message{first}})
	f.apply(store.Change{ID: p.ID, Messages: []process.Message{FullMessage(1, 9), second}})
	f.wantSame("messages", f.messages(p.ID, 0, 10), []process.Message{first, second})
}

// testMessagesGo: a transcript outlives the events, and goes with its process.
func testMessagesGo(f *fixture) {
	p, other := f.add(), f.add()
	for _, q := range []*process.Process{p, other} {
		f.apply(store.Change{ID: q.ID, Messages: []process.Message{FullMessage(1, 1)}})
		f.finish(q)
	}
	if n := must(f.s.PruneEvents(f.ctx, f.tick(), "", 1000))(f); n == 0 {
		f.Error("no event was pruned")
	}
	f.wantSame("after pruning", len(f.messages(p.ID, 0, 10)), 1)
	if err := f.s.Delete(f.ctx, p.ID); err != nil {
		f.Fatal(err)
	}
	_, err := f.s.Messages(f.ctx, p.ID, 0, 10)
	f.wantErr("deleted", err, process.ErrNotFound)
	f.wantSame("of the other", len(f.messages(other.ID, 0, 10)), 1)
}
