package client

import (
	"bufio"
	"bytes"
	"io"
)

// message is one event of a server-sent event stream.
type message struct {
	id    string // empty: the stream's position does not change
	event string
	data  []byte
	alive bool // a comment came with it
}

// messages reads a stream of server-sent events. Lines end with \n or \r\n and
// may have any length.
type messages struct{ r *bufio.Reader }

func newMessages(r io.Reader) *messages { return &messages{bufio.NewReaderSize(r, 64<<10)} }

// next returns the next message, also one without data. What follows the last
// blank line is not a message and is dropped.
func (m *messages) next() (message, error) {
	var msg message
	for seen := false; ; {
		line, err := m.line()
		if err != nil {
			return message{}, err
		}
		if len(line) == 0 {
			if seen {
				return msg, nil
			}
			continue
		}
		seen = true
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "": // a comment, such as a heartbeat
			msg.alive = true
		case "id":
			msg.id = string(value)
		case "event":
			msg.event = string(value)
		case "data":
			if msg.data != nil {
				msg.data = append(msg.data, '\n')
			}
			msg.data = append(msg.data, value...)
		}
	}
}

// line returns a line without its end, valid until the next call.
func (m *messages) line() ([]byte, error) {
	line, err := m.r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		long := bytes.Clone(line)
		var rest []byte
		rest, err = m.r.ReadBytes('\n')
		line = append(long, rest...)
	}
	if err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(line[:len(line)-1], []byte("\r")), nil
}
