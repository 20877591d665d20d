package subreaper

import (
	"encoding/binary"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/reeverun/reeve/keeper/internal/confine"
)

// fdControl is the subreaper's end of the connection.
const fdControl = 3

// Kind says what a Message is about.
type Kind int64

// To the subreaper: one Start, then Known, then Kill. To the host: Started or
// Failed, then Exited, then Empty. Before Started and Failed, the worker has
// written its report over the order.
const (
	Start   Kind = iota + 1 // with descriptors: the order, the job's three, and what the plan needs
	Kill                    // go on until nothing is left
	Started                 // Value: the leader's pid, as the subreaper sees it; with a pidfd
	Failed                  // Value: the errno
	Exited                  // Value: the leader's wait status
	Empty
	Known // the host has looked the leader up: from now on it may be reaped
)

// Message is one packet between host and subreaper.
type Message struct {
	Kind   Kind
	Value  int64
	CPU    time.Duration // of the leader, or of the whole tree
	MaxRSS int64         // in bytes; 0: not known
}

// Size is the length of every packet.
const Size = 32

// Encode returns the packet.
func (m Message) Encode() []byte {
	b := make([]byte, Size)
	for i, v := range [4]int64{int64(m.Kind), m.Value, int64(m.CPU), m.MaxRSS} {
		binary.NativeEndian.PutUint64(b[8*i:], uint64(v))
	}
	return b
}

// Decode reads a packet.
func Decode(b []byte) (Message, error) {
	if len(b) != Size {
		return Message{}, errors.New("malformed packet")
	}
	at := func(i int) int64 { return int64(binary.NativeEndian.Uint64(b[8*i:])) }
	return Message{Kind: Kind(at(0)), Value: at(1), CPU: time.Duration(at(2)), MaxRSS: at(3)}, nil
}

// Order is what a subreaper shall start.
type Order struct {
	Path    string
	Argv    []string
	Env     []string
	Dir     string
	Session bool // in a session of its own
	TTY     bool // whose terminal is the job's first file
	// Exec has the worker become the program instead of holding it; its end of
	// the connection then closes.
	Exec bool
	Plan confine.Plan
}

// Encode writes the order as strings that end in NUL, which none of them may
// contain.
func (o Order) Encode() []byte {
	fields := []string{strconv.FormatBool(o.Session), strconv.FormatBool(o.TTY), strconv.FormatBool(o.Exec), o.Path, o.Dir, strconv.Itoa(len(o.Argv))}
	fields = append(append(append(fields, o.Plan.Strings()...), o.Argv...), o.Env...)
	return []byte(strings.Join(fields, "\x00") + "\x00")
}

// DecodeOrder reads an order.
func DecodeOrder(b []byte) (Order, error) {
	bad := errors.New("malformed order")
	s, ok := strings.CutSuffix(string(b), "\x00")
	fields := strings.Split(s, "\x00")
	if !ok || len(fields) < 6 {
		return Order{}, bad
	}
	session, err1 := strconv.ParseBool(fields[0])
	tty, err2 := strconv.ParseBool(fields[1])
	become, err3 := strconv.ParseBool(fields[2])
	argc, err4 := strconv.Atoi(fields[5])
	plan, rest, err5 := confine.Parse(fields[6:])
	if err1 != nil || err2 != nil || err3 != nil || err4 != nil || err5 != nil || argc < 0 || argc > len(rest) {
		return Order{}, bad
	}
	return Order{Session: session, TTY: tty, Exec: become, Path: fields[3], Dir: fields[4], Plan: plan, Argv: rest[:argc], Env: rest[argc:]}, nil
}
