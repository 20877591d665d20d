package server

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/process"
)

// What is remembered of an event is what it encodes to, and never another's or
// what an old one was once.
func TestEncodedEventsAreTheirOwn(t *testing.T) {
	var c encoded
	line := func(cursor int64, text string, age time.Duration) *process.Event {
		ev := process.New(process.OutputAppended{Stream: process.Stdout, Line: text})
		ev.Cursor, ev.Seq, ev.Process, ev.At = cursor, cursor, 1, time.Now().Add(-age)
		return &ev
	}
	check := func(ev *process.Event, remembered bool) {
		t.Helper()
		want, err := json.Marshal(ev)
		if err != nil {
			t.Fatal(err)
		}
		first, err := c.marshal(ev)
		if err != nil || string(first) != string(want) {
			t.Fatalf("%s, %v, want %s", first, err, want)
		}
		again, _ := c.marshal(ev)
		if string(again) != string(want) || (&again[0] == &first[0]) != remembered {
			t.Errorf("%s: remembered %v, want %v", again, &again[0] == &first[0], remembered)
		}
	}
	check(line(7, "now", 0), true)
	check(line(7+encodedEvents, "in the same place", 0), true)
	check(line(7, "back again", 0), true)
	check(line(9, "long ago", time.Hour), false)
	check(line(11, strings.Repeat("long", encodedSize), 0), false)
	check(line(7, "of the same number, in a replay", time.Hour), false)
	partial := process.New(process.OutputAppended{Stream: process.Stdout, Line: "beg", Partial: true})
	partial.Cursor, partial.At = 13, time.Now()
	check(&partial, false)
}
