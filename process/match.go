package process

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of [Query].Text, in characters: of what is looked for, and of how much
// of a program's code is looked at.
const (
	MaxText  = 200
	TextCode = 200
)

// Normalize checks the query and fills in its defaults.
func (q Query) Normalize() (Query, error) {
	if q.Limit == 0 {
		q.Limit = DefaultLimit
	}
	if q.Limit < 1 || q.Limit > MaxLimit {
		return q, Invalid("limit", "%d is out of range: want 1 to %d", q.Limit, MaxLimit)
	}
	if len(q.IDs) > MaxLimit {
		return q, Invalid("ids", "names %d processes: want at most %d", len(q.IDs), MaxLimit)
	}
	if n := utf8.RuneCountInString(q.Text); n > MaxText {
		return q, Invalid("text", "is %d characters long: want at most %d", n, MaxText)
	}
	if err := q.checkStates(); err != nil {
		return q, err
	}
	if _, err := q.Before(); err != nil {
		return q, err
	}
	return q, nil
}

func (q *Query) checkStates() error {
	states, statuses := q.States, q.Statuses
	if q.State != "" {
		states = append(slices.Clip(states), q.State)
	}
	if q.Status != nil {
		statuses = append(slices.Clip(statuses), *q.Status)
	}
	for _, s := range states {
		if _, err := ParseState(string(s)); err != nil {
			return err
		}
	}
	for _, s := range statuses {
		if s == ExitNone {
			continue
		}
		if _, err := ParseExitState(string(s)); err != nil {
			return err
		}
	}
	return nil
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

// HasState reports whether processes in a state may be selected.
func (q *Query) HasState(s State) bool {
	return q.State == "" && len(q.States) == 0 || s == q.State || slices.Contains(q.States, s)
}

// HasStatus reports whether processes with an outcome may be selected.
func (q *Query) HasStatus(e ExitState) bool {
	return q.Status == nil && len(q.Statuses) == 0 || q.Status != nil && e == *q.Status || slices.Contains(q.Statuses, e)
}

// Matches reports whether a process is selected, page bounds aside. It is the
// one definition of the filters: stores may be faster, never different.
//
// Text is found, whatever the case of its letters, in a process's id, ref,
// label, tags and environment, in its command line (the program and its
// arguments, with spaces between them) and in the first TextCode characters of
// its code.
func (q Query) Matches(p *Process) bool {
	switch {
	case len(q.IDs) > 0 && !slices.Contains(q.IDs, p.ID),
		!q.HasState(p.State), !q.HasStatus(p.ExitState),
		q.Paused && !p.Paused,
		q.Ref != "" && p.Ref != q.Ref,
		q.Environment != "" && p.Environment != q.Environment,
		q.Parent != 0 && p.Parent != q.Parent,
		!q.Since.IsZero() && p.CreatedAt.Before(q.Since),
		!q.Until.IsZero() && !p.CreatedAt.Before(q.Until),
		q.Tag != "" && !p.HasTag(q.Tag):
		return false
	}
	return q.Text == "" || p.shows(foldCase(q.Text))
}

// shows reports whether a text, folded, is found in what names the process.
func (p *Process) shows(text string) bool {
	has := func(s string) bool { return strings.Contains(foldCase(s), text) }
	return has(p.ID.String()) || has(p.Ref) || has(p.Label) || has(p.Environment) ||
		slices.ContainsFunc(p.Tags, has) || has(p.Command.line()) || has(firstRunes(p.Code, TextCode))
}

// line is the command as somebody would type it, without quotes.
func (c *Command) line() string {
	if c == nil {
		return ""
	}
	return strings.Join(append([]string{c.Program}, c.Args...), " ")
}

// foldCase makes letters small. None that is not of ASCII becomes one of it, so
// that a store may look for ASCII by simpler means.
func foldCase(s string) string {
	return strings.Map(func(r rune) rune {
		if small := unicode.ToLower(r); r < utf8.RuneSelf || small >= utf8.RuneSelf {
			return small
		}
		return r
	}, s)
}

// firstRunes cuts a text off after n characters.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
