package process

import (
	"encoding/json"
	"testing"
	"time"
)

// reflected is an event as package json writes it, by the types alone.
func reflected(t testing.TB, e Event) string {
	t.Helper()
	head, err := json.Marshal(eventJSON{e.Seq, FormatCursor(e.Cursor), e.Process, e.Run, e.At.UTC(), e.Kind})
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(e.Data)
	if err != nil {
		t.Fatal(err)
	}
	if string(body) == "{}" {
		return string(head)
	}
	return string(head[:len(head)-1]) + "," + string(body[1:])
}

func same(t testing.TB, e Event) {
	t.Helper()
	want := reflected(t, e)
	if got, err := json.Marshal(e); err != nil || string(got) != want {
		t.Errorf("%s, %v, want\n%s", got, err, want)
	}
	if got, err := e.MarshalJSON(); err != nil || string(got) != want {
		t.Errorf("by itself: %s, %v, want\n%s", got, err, want)
	}
}

func TestEventsAreWrittenAsTheirTypesSay(t *testing.T) {
	at := time.Date(2026, 6, 24, 12, 0, 0, 123_456_000, time.FixedZone("east", 7200))
	for _, data := range []Payload{OutputAppended{Stream: Stderr, Line: "hello", Offset: 7, Partial: true}, OutputAppended{}, ProcessQueued{},
		Exited{Code: 1}, ProcessCreated{Tags: []string{"<ci>"}}, Lagged{Missed: 3}, OutputMerged{Output: map[string]any{"a": 1}}} {
		e := New(data)
		e.At = at
		same(t, e)
		e.Seq, e.Cursor, e.Process, e.Run = 7, 99, 42, 2
		same(t, e)
	}
}

func TestATimeThatJSONCannotTell(t *testing.T) {
	e := New(ProcessQueued{})
	e.At = time.Date(12_000, 1, 1, 0, 0, 0, 0, time.UTC)
	if b, err := e.MarshalJSON(); err == nil {
		t.Errorf("%s", b)
	}
}

func FuzzLineJSON(f *testing.F) {
	for _, line := range []string{"", "plain", `a "quoted" \ line`, "<b>&amp;", "tab\t\x00\x1b[31m", "ümlaut 日本", "\u2028\u2029", "bad \xff\xfe utf-8", "\x7f", "~"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) { same(t, New(OutputAppended{Stream: Stdout, Line: line})) })
}
