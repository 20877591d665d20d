package process

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// eventJSON is the head of an event on the wire; the payload's own fields
// follow in the same object. Live notices have no seq.
type eventJSON struct {
	Seq     int64     `json:"seq,omitempty"`
	Cursor  string    `json:"cursor,omitempty"`
	Process ID        `json:"process"`
	Run     int       `json:"run"`
	At      time.Time `json:"at"`
	Kind    Kind      `json:"kind"`
}

// MarshalJSON writes head and payload as one flat object. Events go to every
// subscriber, and most are lines: both are written by hand, the way eventJSON
// and the payload's type say.
func (e Event) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 256), '{')
	if e.Seq != 0 {
		b = append(strconv.AppendInt(append(b, `"seq":`...), e.Seq, 10), ',')
	}
	if e.Cursor != 0 {
		b = append(strconv.AppendInt(append(b, `"cursor":"`...), e.Cursor, 10), `",`...)
	}
	b = strconv.AppendInt(append(b, `"process":`...), int64(e.Process), 10)
	b = strconv.AppendInt(append(b, `,"run":`...), int64(e.Run), 10)
	b, err := e.At.UTC().AppendText(append(b, `,"at":"`...))
	if err != nil {
		return nil, err
	}
	b = appendString(append(b, `","kind":`...), string(e.Kind))
	return e.appendPayload(b)
}

// appendPayload appends the fields of the payload, and the end.
func (e *Event) appendPayload(b []byte) ([]byte, error) {
	if line, is := e.Data.(OutputAppended); is {
		b = appendString(append(b, `,"stream":`...), string(line.Stream))
		b = appendString(append(b, `,"line":`...), line.Line)
		b = strconv.AppendInt(append(b, `,"offset":`...), line.Offset, 10)
		b = strconv.AppendBool(append(b, `,"partial":`...), line.Partial)
		return append(b, '}'), nil
	}
	body, err := json.Marshal(e.Data)
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", e.Kind, err)
	}
	if len(body) <= 2 { // {}
		return append(b, '}'), nil
	}
	return append(append(b, ','), body[1:]...), nil
}

// appendString appends a JSON string: as it is, unless something in it has to be
// escaped.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			quoted, _ := json.Marshal(s) // a string always can be
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *Event) UnmarshalJSON(b []byte) error {
	var w eventJSON
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	dec, ok := decoders[w.Kind]
	if !ok {
		return fmt.Errorf("unknown event kind %q", w.Kind)
	}
	data, err := dec(b)
	if err != nil {
		return fmt.Errorf("event %s: %w", w.Kind, err)
	}
	cursor, err := ParseCursor(w.Cursor)
	if err != nil {
		return err
	}
	*e = Event{w.Seq, cursor, w.Process, w.Run, w.At, w.Kind, data}
	return nil
}
