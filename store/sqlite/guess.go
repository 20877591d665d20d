package sqlite

import (
	"context"
	"database/sql"
	"strings"

	"github.com/reeverun/reeve/process"
)

// guessed reports whether a query has filters that the walk only guesses.
func guessed(q *process.Query) bool { return q.Text != "" || q.Paused }

// guess adds conditions that everything meets which those filters select.
func (l *lister) guess() {
	if l.q.Paused {
		l.where(`p.body LIKE '%"paused":true%'`)
	}
	for word := range strings.FieldsFuncSeq(l.q.Text, odd) {
		like := "%" + word + "%"
		l.where(`(s.spec LIKE ? OR p.id LIKE ? OR p.ref LIKE ? OR p.environment LIKE ? OR `+codeStart+` LIKE ?)`,
			like, like, like, like, like)
	}
}

// odd reports whether a character may stand otherwise in JSON than in a text, or
// between a program and its arguments, or is one whose case SQLite does not know.
// What lies between odd ones is found in each. An underscore may stand for any
// character to LIKE, which is no harm.
func odd(r rune) bool {
	return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && !strings.ContainsRune("-_./:=,@+", r)
}

// codeStart holds at least the characters of the code that are looked at.
const codeStart = `substr(s.code, 1, 200)`

// shortCode is what is read in place of a code that is not wanted.
func (l *lister) shortCode() string {
	if l.q.Text != "" {
		return codeStart
	}
	return "NULL"
}

// certainPage adds to a page what the next walks find and the record confirms,
// and moves the query on. It reports whether there may be more.
func certainPage(ctx context.Context, tx *sql.Tx, q *process.Query, list []process.Process) ([]process.Process, bool, error) {
	found, err := walkPage(ctx, tx, tx, *q)
	for i := range found {
		if q.Matches(&found[i]) && len(list) < q.Limit {
			list = append(list, found[i])
		}
	}
	if err != nil || len(found) < q.Limit || len(list) == q.Limit {
		return list, false, err
	}
	q.Cursor = found[len(found)-1].ID.String()
	return list, true, nil
}
