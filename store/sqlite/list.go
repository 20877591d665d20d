package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/reeverun/reeve/process"
)

// A list is one or more walks: each follows an index in which the ids of its
// matches stand in order, from the page's start until the page is full, and
// checks the filters the index does not answer. Which index is written down
// here, not left to the planner: with a million rows a wrong guess is the
// difference between microseconds and seconds.
//
//	filter        walk along                         walks
//	ref           processes_by_ref                   1
//	parent        processes_by_parent                1
//	tag           tags                               1
//	state/status  processes_by_state (both, id)      1 for each pair that can match
//	environment   processes_by_environment           1
//	none          the table                          1
//
// With several filters the first of these wins.
const sqlList = `SELECT ` + processFields + ` FROM (%s) w
	CROSS JOIN processes p ON p.id = w.id CROSS JOIN specs s ON s.process = p.id`

// Processes implements [store.Store].
func (s *Store) Processes(ctx context.Context, q process.Query) ([]process.Process, error) {
	list, err := s.page(ctx, q)
	return list, s.fail("list processes", err)
}

func (s *Store) page(ctx context.Context, q process.Query) ([]process.Process, error) {
	before, err := q.Before()
	if err != nil {
		return nil, err
	}
	l := &lister{q: q}
	if before > 0 {
		l.where("p.id < ?", int64(before))
	}
	if q.Since.IsZero() && q.Until.IsZero() {
		return l.run(ctx, s.db)
	}
	// The bounds must be of the same state as the page.
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	if err := l.bound(ctx, tx); err != nil {
		return nil, err
	}
	return l.run(ctx, tx)
}

// lister puts the text of a list together.
type lister struct {
	q       process.Query
	filters []string // what every walk checks
	args    []any
}

func (l *lister) where(filter string, args ...any) {
	l.filters = append(l.filters, filter)
	l.args = append(l.args, args...)
}

// bound adds the filters by time: exactly, and as the range of ids that they
// can match at all.
func (l *lister) bound(ctx context.Context, tx *sql.Tx) error {
	b, err := idBounds(ctx, tx)
	if err != nil {
		return err
	}
	if since := l.q.Since; !since.IsZero() {
		from, err := b.search(minus(nanos(since), b.skew))
		if err != nil {
			return err
		}
		l.where("p.id >= ? AND p.created_at >= ?", from, nanos(since))
	}
	if until := l.q.Until; !until.IsZero() {
		to, err := b.search(plus(nanos(until), b.skew))
		if err != nil {
			return err
		}
		l.where("p.id < ? AND p.created_at < ?", to, nanos(until))
	}
	return nil
}

func (l *lister) run(ctx context.Context, db querier) ([]process.Process, error) {
	ids, args := l.ids()
	list, err := collect(ctx, db, scanListed, fmt.Sprintf(sqlList, ids), args...)
	// The walks are in order, the join keeps it, but neither is promised.
	slices.SortFunc(list, func(a, b process.Process) int { return int(b.ID - a.ID) })
	return list, err
}

func scanListed(row scanner) (p process.Process, err error) {
	err = scanProcess(row, &p)
	return p, err
}

// ids returns the query for the ids of the page.
func (l *lister) ids() (string, []any) {
	q := &l.q
	switch {
	case q.Ref != "":
		l.where("p.ref = ?", q.Ref)
	case q.Parent != 0:
		l.where("p.parent = ?", int64(q.Parent))
	}
	if q.Environment != "" {
		l.where("p.environment = ?", q.Environment)
	}
	switch {
	case q.Ref != "":
		if q.Parent != 0 {
			l.where("p.parent = ?", int64(q.Parent))
		}
		return l.plain("processes_by_ref")
	case q.Parent != 0:
		return l.plain("processes_by_parent")
	case q.Tag != "":
		return l.byTag()
	case q.State != "" || q.Status != nil:
		return l.byState()
	case q.Environment != "":
		return l.plain("processes_by_environment")
	}
	return l.plain("")
}

// plain is a walk of its own, all filters checked.
func (l *lister) plain(index string) (string, []any) {
	if l.q.Tag != "" {
		l.where("EXISTS (SELECT 1 FROM tags t WHERE t.tag = ? AND t.process = p.id)", l.q.Tag)
	}
	l.whereStates()
	return l.walk("processes p"+indexedBy(index), "p.id"), append(l.args, l.q.Limit)
}

func (l *lister) byTag() (string, []any) {
	l.where("t.tag = ?", l.q.Tag)
	l.whereStates()
	// The bounds are on p.id; the index is on t.process.
	for i, f := range l.filters {
		l.filters[i] = strings.ReplaceAll(f, "p.id ", "t.process ")
	}
	return l.walk("tags t CROSS JOIN processes p ON p.id = t.process", "t.process"), append(l.args, l.q.Limit)
}

// byState walks along every pair of state and exit state that can match, and
// merges.
func (l *lister) byState() (string, []any) {
	var walks []string
	var args []any
	for _, state := range l.states() {
		for _, exit := range l.exits() {
			pair := &lister{q: l.q, filters: slices.Clone(l.filters), args: slices.Clone(l.args)}
			pair.where("p.state = ? AND p.exit_state = ?", state, exit)
			walks = append(walks, "SELECT id FROM ("+pair.walk("processes p"+indexedBy("processes_by_state"), "p.id")+")")
			args = append(append(args, pair.args...), l.q.Limit)
		}
	}
	if len(walks) == 1 {
		return walks[0], args
	}
	return strings.Join(walks, " UNION ALL ") + " ORDER BY id DESC LIMIT ?", append(args, l.q.Limit)
}

// walk is the text of one walk; its last argument is the limit.
func (l *lister) walk(from, key string) string {
	where := ""
	if len(l.filters) > 0 {
		where = " WHERE " + strings.Join(l.filters, " AND ")
	}
	return "SELECT " + key + " AS id FROM " + from + where + " ORDER BY " + key + " DESC LIMIT ?"
}

func indexedBy(index string) string {
	if index == "" {
		return " NOT INDEXED"
	}
	return " INDEXED BY " + index
}

// whereStates checks the states where another index is walked along.
func (l *lister) whereStates() {
	if l.q.State != "" {
		l.where("p.state IN (" + join(l.states()) + ")")
	}
	if l.q.Status != nil {
		l.where("p.exit_state IN (" + join(l.exits()) + ")")
	}
}

func join(codes []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(codes), " ", ","), "[]")
}

// states returns the codes that match; exits does the same.
func (l *lister) states() (codes []int) {
	for i, s := range stateCodes {
		if l.q.State == "" || l.q.State == s {
			codes = append(codes, i)
		}
	}
	return codes
}

func (l *lister) exits() (codes []int) {
	for i, e := range exitCodes {
		if l.q.Status == nil || *l.q.Status == e {
			codes = append(codes, i)
		}
	}
	return codes
}
