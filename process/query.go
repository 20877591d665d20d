package process

import (
	"strconv"
	"time"
)

// Query selects processes, newest first. Zero fields do not filter.
type Query struct {
	IDs         []ID        // at most MaxLimit; those that do not exist are just not there
	State       State       // in this one
	States      []State     // or in one of these
	Status      *ExitState  // with this outcome; pointing to ExitNone: without one
	Statuses    []ExitState // or with one of these
	Paused      bool        // only those that are
	Text        string      // found in what names them: see Matches
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
