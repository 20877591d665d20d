package handover

import (
	"errors"
	"os"
)

// Path is where a daemon is asked, on its unix socket.
const Path = "/handover"

// Protocol is the version of the conversation.
const Protocol = 1

// Bounds of what the other side may send.
const (
	maxMessage = 64 << 10
	maxFiles   = 8
)

// Word is what a message says.
type Word string

// The words, in the order in which they are said.
const (
	Hello    Word = "hello"
	Begin    Word = "begin"
	Take     Word = "take"
	Taken    Word = "taken"
	Released Word = "released"
	Serving  Word = "serving"
	Failed   Word = "failed" // at any time: with the reason
)

// Request is who asks, and for what.
type Request struct {
	Protocol int    `json:"protocol"`
	PID      int    `json:"pid"`
	Version  string `json:"version"`
	DrainMS  int64  `json:"drainMs"` // that programs are given to end by themselves
}

// Message is one thing said.
type Message struct {
	Say     Word   `json:"say"`
	Reason  string `json:"reason,omitempty"`
	PID     int    `json:"pid,omitempty"`
	Version string `json:"version,omitempty"`
	Doors   []Door `json:"doors,omitempty"`

	// Files are the descriptors that came along, one for each of the Doors.
	// They belong to the receiver.
	Files []*os.File `json:"-"`
}

// Kinds of doors.
const (
	TCP  = "tcp"
	Unix = "unix"
	Lock = "lock" // of the unix socket's file
)

// Door is a socket that the old daemon listens on, or what belongs to it.
type Door struct {
	Kind    string `json:"kind"`
	Asked   string `json:"asked,omitempty"` // as it was set, such as 127.0.0.1:0
	Address string `json:"address"`         // as it is
}

var (
	// ErrNobody says that there is no daemon to ask.
	ErrNobody = errors.New("no daemon answers")
	// ErrGone says that the other side has ended the conversation.
	ErrGone = errors.New("the other daemon has gone")
)

// FailedError is what the other side failed with.
type FailedError struct{ Reason string }

// Error is the other side's sentence.
func (e *FailedError) Error() string { return e.Reason }

// CloseFiles closes the descriptors that nobody has taken.
func (m *Message) CloseFiles() {
	for _, f := range m.Files {
		_ = f.Close()
	}
	m.Files = nil
}
