package sqlite

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/reeverun/reeve/process"
)

// maxSpan is how far the cursors in one chunk may lie apart. It bounds how
// many chunks before a cursor may hold events after it.
const maxSpan = 256

const (
	chunkColumns    = 8
	sqlInsertEvents = `INSERT INTO events (cursor, span, process, last_seq, count, first_at, last_at, body) VALUES `
)

// chunks makes the rows that hold events of one process, one behind the other:
// a single one, unless their cursors lie far apart.
func (e *encoder) chunks(events []process.Event) (rows []driver.Value, err error) {
	for len(events) > 0 && err == nil {
		n := 1
		for n < len(events) && events[n].Cursor-events[0].Cursor <= maxSpan {
			n++
		}
		var row []driver.Value
		row, err = e.chunk(events[:n])
		if events = events[n:]; len(events) == 0 && rows == nil {
			return row, err
		}
		rows = append(rows, row...)
	}
	return rows, err
}

func (e *encoder) chunk(events []process.Event) ([]driver.Value, error) {
	first, last := &events[0], &events[len(events)-1]
	minAt, maxAt := nanos(first.At), nanos(first.At)
	for i := range events {
		at := nanos(events[i].At)
		minAt, maxAt = min(minAt, at), max(maxAt, at)
	}
	e.b, e.err = e.b[:0], nil
	for i := range events {
		e.event(&events[i], first.Cursor, minAt)
	}
	e.b = append(e.b, ']')
	return e.row(first.Cursor, last.Cursor-first.Cursor, int64(first.Process), last.Seq,
		int64(len(events)), minAt, maxAt, string(e.b)), e.err
}

// event appends one event, after what stands in the buffer already.
func (e *encoder) event(ev *process.Event, cursor, at int64) {
	b := e.b
	if len(b) == 0 {
		b = append(b, "[["...)
	} else {
		b = append(b, ",["...)
	}
	b = append(strconv.AppendInt(b, ev.Seq, 10), ',')
	b = append(strconv.AppendInt(b, ev.Cursor-cursor, 10), ',')
	b = append(strconv.AppendInt(b, int64(ev.Run), 10), ',')
	b = append(strconv.AppendInt(b, nanos(ev.At)-at, 10), ',')
	b = append(appendString(b, string(ev.Kind)), ',')
	b, common := appendPayload(b, ev.Data)
	if !common {
		text, err := json.Marshal(ev.Data)
		if err != nil {
			e.err = fmt.Errorf("event %d: %w", ev.Seq, err)
		}
		b = append(b, text...)
	}
	e.b = append(b, ']')
}

// chunkRow is a stored chunk.
type chunkRow struct {
	cursor, process, firstAt int64
	body                     []byte
}

// decode appends those of the chunk's events to a list that come after a seq
// and a cursor.
func (c *chunkRow) decode(list []process.Event, seq, cursor int64) ([]process.Event, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(c.body, &items); err != nil {
		return nil, fmt.Errorf("events at %d: %w", c.cursor, err)
	}
	for _, item := range items {
		var e process.Event
		kind, payload, err := c.head(item, &e)
		if err == nil && (e.Seq <= seq || e.Cursor <= cursor) {
			continue
		}
		if err == nil {
			err = decodePayload(kind, payload, &e)
		}
		if err != nil {
			return nil, fmt.Errorf("events at %d: %w", c.cursor, err)
		}
		list = append(list, e)
	}
	return list, nil
}

// head reads what stands before the payload. The encoder wrote it without
// spaces, and kinds need no escapes.
func (c *chunkRow) head(item []byte, e *process.Event) (kind, payload []byte, err error) {
	fields := bytes.SplitN(bytes.TrimPrefix(item, []byte("[")), []byte(","), 6)
	if len(fields) != 6 || len(fields[5]) < len("{}]") {
		return nil, nil, errors.New("an event is cut short")
	}
	var n [4]int64
	for i := range n {
		if n[i], err = strconv.ParseInt(string(fields[i]), 10, 64); err != nil {
			return nil, nil, err
		}
	}
	e.Seq, e.Cursor, e.Process, e.Run, e.At = n[0], c.cursor+n[1], process.ID(c.process), int(n[2]), fromNanos(c.firstAt+n[3])
	return fields[4], fields[5][:len(fields[5])-1], nil
}

// decodePayload leaves it to the domain which payload a kind has: that reads
// both from one object.
func decodePayload(kind, payload []byte, e *process.Event) error {
	flat := append([]byte(`{"kind":`), kind...)
	if len(payload) > len("{}") {
		flat = append(flat, ',')
	}
	var d process.Event
	if err := json.Unmarshal(append(flat, payload[1:]...), &d); err != nil {
		return err
	}
	e.Kind, e.Data = d.Kind, d.Data
	return nil
}
