package store

import (
	"fmt"

	"github.com/reeverun/reeve/process"
)

// Reason says what keeps a store from working.
type Reason string

// The reasons.
const (
	Full    Reason = "full"    // there is no room, or a quota is used up
	Locked  Reason = "locked"  // another program holds it
	Damaged Reason = "damaged" // what is there cannot be what was written
	Failing Reason = "failing" // its disk does not do what it should
)

// Unavailable is the error of a store that cannot do its work for a reason that
// is not the caller's. All but Damaged may pass by themselves: whoever has
// something that must not be lost tries again.
type Unavailable struct {
	Reason  Reason
	Message string // what is wrong and what to do, for a person
	Err     error  // what the system said
}

// Error returns the sentence and what the system said.
func (u *Unavailable) Error() string { return fmt.Sprintf("%s: %v", u.Message, u.Err) }

// Unwrap returns what the system said.
func (u *Unavailable) Unwrap() error { return u.Err }

// Is makes it match process.ErrUnrecorded, for those who do not know stores.
func (u *Unavailable) Is(target error) bool { return target == process.ErrUnrecorded }
