package process

import (
	"strconv"
	"time"
)

// Query selects processes, newest first. Zero fields do not filter.
type Query struct {
	State       State
	Status      *ExitState // pointing to ExitNone: those without an outcome
	Tag         string
	Ref         string
	Environment string
	Parent      ID
	Since       time.Time // created at or after
	Until       time.Time // created before
	Limit       int       // 1 to MaxLimit; 0: DefaultLimit
	Cursor      string    // Page.Next of the page before
	NoCode      bool      // leave out Code, which may be long
}

// Page sizes of a [Query].
const (
	DefaultLimit = 100
	MaxLimit     = 1000
)

// Page is one page of processes. Next is empty on the last one.
type Page struct {
	Processes []Process
	Next      string
}

// Normalize checks the query and fills in its defaults.
func (q Query) Normalize() (Query, error) {
	if q.Limit == 0 {
		q.Limit = DefaultLimit
	}
	if q.Limit < 1 || q.Limit > MaxLimit {
		return q, Invalid("limit", "%d is out of range: want 1 to %d", q.Limit, MaxLimit)
	}
	if q.State != "" {
		if _, err := ParseState(string(q.State)); err != nil {
			return q, err
		}
	}
	if q.Status != nil && *q.Status != ExitNone {
		if _, err := ParseExitState(string(*q.Status)); err != nil {
			return q, err
		}
	}
	if _, err := q.Before(); err != nil {
		return q, err
	}
	return q, nil
}

// Before is the id below which the page starts, decoded from Cursor; 0 means
// from the newest.
func (q Query) Before() (ID, error) {
	if q.Cursor == "" {
		return 0, nil
	}
	id, err := ParseID(q.Cursor)
	if err != nil {
		return 0, Invalid("cursor", "%q is not a cursor of this list", q.Cursor)
	}
	return id, nil
}

// Matches reports whether a process is selected, page bounds aside. It is the
// one definition of the filters: stores may be faster, never different.
func (q Query) Matches(p *Process) bool {
	switch {
	case q.State != "" && p.State != q.State,
		q.Status != nil && p.ExitState != *q.Status,
		q.Ref != "" && p.Ref != q.Ref,
		q.Environment != "" && p.Environment != q.Environment,
		q.Parent != 0 && p.Parent != q.Parent,
		!q.Since.IsZero() && p.CreatedAt.Before(q.Since),
		!q.Until.IsZero() && !p.CreatedAt.Before(q.Until):
		return false
	}
	if q.Tag == "" {
		return true
	}
	return p.HasTag(q.Tag)
}

// FormatCursor writes an event cursor as clients see it; empty for 0.
func FormatCursor(c int64) string {
	if c == 0 {
		return ""
	}
	return strconv.FormatInt(c, 10)
}

// ParseCursor reads an event cursor; empty is 0.
func ParseCursor(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	c, err := strconv.ParseInt(s, 10, 64)
	if err != nil || c < 0 {
		return 0, Invalid("after", "%q is not an event cursor", s)
	}
	return c, nil
}

// FoundFinding is a finding with the run it was made in.
type FoundFinding struct {
	Process ID  `json:"process"`
	Run     int `json:"run"`
	Finding
}

// FindingQuery selects findings, newest first. Zero fields do not filter.
type FindingQuery struct {
	Process  ID
	Severity Severity
	Code     string
	Limit    int
}
