package process

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"
)

// ApprovalID numbers approvals from 1. Numbers are never reused.
type ApprovalID int64

// String returns the decimal form.
func (id ApprovalID) String() string { return strconv.FormatInt(int64(id), 10) }

// ParseApprovalID reads the decimal form, as strictly as ParseID.
func ParseApprovalID(s string) (ApprovalID, error) {
	id, err := ParseID(s)
	if err != nil {
		return 0, Invalid("id", "%q is not the id of an approval: want a whole number from 1", s)
	}
	return ApprovalID(id), nil
}

// ApprovalState is how far an approval is.
type ApprovalState string

// The approval states. All but the first are final.
const (
	ApprovalPending  ApprovalState = "pending"
	ApprovalApproved ApprovalState = "approved"
	ApprovalDenied   ApprovalState = "denied"
	ApprovalExpired  ApprovalState = "expired"  // nobody decided in time
	ApprovalCanceled ApprovalState = "canceled" // the run ended first, or its host did
)

// ApprovalStates lists them all.
func ApprovalStates() []ApprovalState {
	return []ApprovalState{ApprovalPending, ApprovalApproved, ApprovalDenied, ApprovalExpired, ApprovalCanceled}
}

// ParseApprovalState reads an ApprovalState by name.
func ParseApprovalState(s string) (ApprovalState, error) {
	return parseName("state", s, ApprovalStates())
}

// Approval is a tool call that a person decides. It is its own record on the
// wire, too.
type Approval struct {
	ID          ApprovalID      `json:"id"`
	Process     ID              `json:"process"`
	Run         int             `json:"run"`
	Call        int64           `json:"call"`
	Service     string          `json:"service"`
	Tool        string          `json:"tool"`
	Params      json.RawMessage `json:"params"` // sealed at rest
	State       ApprovalState   `json:"state"`
	RequestedAt time.Time       `json:"requestedAt"`
	ExpiresAt   time.Time       `json:"expiresAt"`
	DecidedAt   *time.Time      `json:"decidedAt"`
	DecidedBy   *string         `json:"decidedBy"` // the name of a token, or who expired it
	Reason      *string         `json:"reason"`
}

// Clone returns a copy that shares nothing with a.
func (a *Approval) Clone() Approval {
	c := *a
	c.Params = slices.Clone(a.Params)
	c.DecidedAt, c.DecidedBy, c.Reason = clonePtr(a.DecidedAt), clonePtr(a.DecidedBy), clonePtr(a.Reason)
	return c
}

func clonePtr[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// ApprovalQuery selects approvals, newest first. Zero fields do not filter.
type ApprovalQuery struct {
	State   ApprovalState
	Process ID
	Before  ApprovalID // below this one; 0: from the newest
	Limit   int        // 1 to MaxLimit; 0: DefaultLimit
}

// Normalize checks the query and fills in its defaults.
func (q ApprovalQuery) Normalize() (ApprovalQuery, error) {
	if q.Limit == 0 {
		q.Limit = DefaultLimit
	}
	if q.Limit < 1 || q.Limit > MaxLimit {
		return q, Invalid("limit", "%d is out of range: want 1 to %d", q.Limit, MaxLimit)
	}
	if q.State != "" {
		if _, err := ParseApprovalState(string(q.State)); err != nil {
			return q, err
		}
	}
	return q, nil
}

// Matches reports whether an approval is selected, page bounds aside.
func (q ApprovalQuery) Matches(a *Approval) bool {
	return (q.State == "" || a.State == q.State) && (q.Process == 0 || a.Process == q.Process)
}
