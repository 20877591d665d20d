// Package measure takes figures that can be compared: the subjects of a row,
// bare baseline and peers among them, take turns in each round, medians are
// compared, and a row whose baseline moved too much while it was measured is
// void rather than a result.
package measure

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Role is what a subject is measured for.
type Role string

const (
	// Floor is what the machine can do, with nothing of ours.
	Floor Role = "floor"
	// Reeve is what is measured.
	Reeve Role = "reeve"
	// Peer is another system that does the same, or less.
	Peer Role = "peer"
)

// Better says in which direction a figure improves.
type Better string

const (
	Lower  Better = "lower"
	Higher Better = "higher"
)

// Row is one line of the table: a figure of several subjects, and how Reeve's
// must stand to another's.
type Row struct {
	ID     string // for -only and JSON: "spawn-wait"
	Title  string // for people: "spawn and wait of true, one at a time"
	Unit   string // of every subject's figure: "ms", "/s", "GB/s", "kB"
	Better Better
	Rounds int // at full length; a short run takes fewer
	// Cold says that each round begins with everything new: none is needed to
	// warm up.
	Cold     bool
	Subjects []Subject
	Targets  []Target
}

// Without returns the row without the subjects of a role.
func (r Row) Without(role Role) Row {
	r.Subjects = slices.DeleteFunc(slices.Clone(r.Subjects), func(s Subject) bool { return s.Role == role })
	return r
}

// Subject is one of those that take turns in a row.
type Subject struct {
	Name string
	Role Role
	// Rounds bounds how often a slow one takes part; 0: in every round.
	Rounds int
	// Open makes it ready. A subject that cannot be had here returns a Skip.
	Open func(ctx context.Context) (Instrument, error)
}

// Instrument is a subject that is ready to be measured.
type Instrument interface {
	// Round takes one figure, in the row's unit.
	Round(ctx context.Context) (float64, error)
	// Close gives up what Open took.
	Close() error
}

// Noted is an instrument that has something to say about its figures: what it
// does not do, for one.
type Noted interface {
	Note() string
}

// Target is what a subject's median is held to: a multiple of another's, or,
// where Of is empty, a figure of its own.
type Target struct {
	Subject string  `json:"subject"` // whose figure
	Of      string  `json:"of"`      // whose it is divided by; empty: it stands alone
	Limit   float64 `json:"limit"`   // the most where lower is better, the least where higher is
}

// Skip is the error of a subject that cannot be measured here, with the reason.
// Open may return it, and any round.
type Skip struct{ Reason string }

func (s Skip) Error() string { return s.Reason }

// Skipf returns a Skip.
func Skipf(format string, args ...any) error { return Skip{fmt.Sprintf(format, args...)} }

func skipped(err error) (reason string, is bool) {
	var s Skip
	if errors.As(err, &s) {
		return s.Reason, true
	}
	return "", false
}

// Func makes an instrument of a function, with nothing to close.
type Func func(ctx context.Context) (float64, error)

func (f Func) Round(ctx context.Context) (float64, error) { return f(ctx) }
func (f Func) Close() error                               { return nil }

// Closing makes an instrument of a function and what gives up its means.
func Closing(round func(ctx context.Context) (float64, error), close func() error) Instrument {
	return closing{round, close}
}

type closing struct {
	round func(ctx context.Context) (float64, error)
	close func() error
}

func (c closing) Round(ctx context.Context) (float64, error) { return c.round(ctx) }
func (c closing) Close() error                               { return c.close() }
