package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/reeverun/reeve/process"
)

// A list is one or more walks: each follows an index in which the ids of its
// matches stand in order, from the page's start until the page is full, and
// checks the filters the index does not answer. Which index is written down
// here, not left to the planner: with a million rows a wrong guess is the
// difference between microseconds and seconds.
//
//	filter        walk along                     walks
//	ids           the table processes            1, of those ids
//	ref           processes_by_ref               1
//	parent        processes_by_parent            1
//	tag           the table tags                 1
//	state/status  processes_by_state             1 for each pair that can match
//	environment   processes_by_environment       1
//	none          the table processes            1
//
// With several filters the first of these wins. What no column tells, a text or
// a pause, is guessed by the walk, which finds too much rather than too little,
// and then decided by the record (guess.go).
const sqlList = `SELECT ` + processFields + ` FROM (%s) w
	CROSS JOIN processes p ON p.id = w.id CROSS JOIN specs s ON s.process = p.id`

// Processes implements [store.Store].
func (s *Store) Processes(ctx context.Context, q process.Query) ([]process.Process, error) {
	list, err := s.page(ctx, q)
	return list, s.fail("list processes", err)
}

func (s *Store) page(ctx context.Context, q process.Query) ([]process.Process, error) {
	if q.Since.IsZero() && q.Until.IsZero() && !guessed(&q) {
		return walkPage(ctx, s.db, nil, q)
	}
	// The bounds must be of the same state as the page, and its parts of one.
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	list, more := []process.Process(nil), true
	for more && err == nil {
		list, more, err = certainPage(ctx, tx, &q, list)
	}
	return list, err
}

// walkPage reads one page as the walks find it; tx is needed for bounds by time.
func walkPage(ctx context.Context, db querier, tx *sql.Tx, q process.Query) ([]process.Process, error) {
	l, err := newLister(q)
	if err != nil {
		return nil, err
	}
	if !q.Since.IsZero() || !q.Until.IsZero() {
		if err := l.bound(ctx, tx); err != nil {
			return nil, err
		}
	}
	return l.run(ctx, db)
}

// lister puts the text of a list together.
type lister struct {
	q       process.Query
	from    string   // what the walks go along
	id      string   // the column that has the ids there
	filters []string // what every walk checks
	args    []any
}

func newLister(q process.Query) (*lister, error) {
	before, err := q.Before()
	if err != nil {
		return nil, err
	}
	l := &lister{q: q}
	l.choose()
	if before > 0 {
		l.where(l.id+" < ?", int64(before))
	}
	l.guess()
	if len(q.IDs) > 0 {
		l.where("p.id IN (" + commas(q.IDs) + ")")
	}
	if q.Ref != "" {
		l.where("p.ref = ?", q.Ref)
	}
	if q.Parent != 0 {
		l.where("p.parent = ?", int64(q.Parent))
	}
	if q.Environment != "" {
		l.where("p.environment = ?", q.Environment)
	}
	switch {
	case l.byTag():
		l.where("t.tag = ?", q.Tag)
	case q.Tag != "":
		l.where("EXISTS (SELECT 1 FROM tags WHERE tag = ? AND process = p.id)", q.Tag)
	}
	return l, nil
}

// choose decides what to walk along.
func (l *lister) choose() {
	l.id = "p.id"
	switch {
	case len(l.q.IDs) > 0:
		l.from = "processes p NOT INDEXED"
	case l.byTag():
		l.from, l.id = "tags t CROSS JOIN processes p ON p.id = t.process", "t.process"
	case l.q.Ref != "":
		l.from = "processes p INDEXED BY processes_by_ref"
	case l.q.Parent != 0:
		l.from = "processes p INDEXED BY processes_by_parent"
	case l.byState():
		l.from = "processes p INDEXED BY processes_by_state"
	case l.q.Environment != "":
		l.from = "processes p INDEXED BY processes_by_environment"
	default:
		l.from = "processes p NOT INDEXED"
	}
	if l.q.Text != "" {
		l.from += " CROSS JOIN specs s ON s.process = p.id"
	}
}

// few reports whether a filter leaves so few that it is walked along.
func (l *lister) few() bool { return len(l.q.IDs) > 0 || l.q.Ref != "" || l.q.Parent != 0 }

func (l *lister) byTag() bool { return l.q.Tag != "" && !l.few() }

func (l *lister) byState() bool {
	return (l.someStates() || l.someExits()) && !l.few() && l.q.Tag == ""
}

func (l *lister) someStates() bool { return l.q.State != "" || len(l.q.States) > 0 }

func (l *lister) someExits() bool { return l.q.Status != nil || len(l.q.Statuses) > 0 }

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
		l.where(l.id+" >= ? AND p.created_at >= ?", from, nanos(since))
	}
	if until := l.q.Until; !until.IsZero() {
		to, err := b.search(plus(nanos(until), b.skew))
		if err != nil {
			return err
		}
		l.where(l.id+" < ? AND p.created_at < ?", to, nanos(until))
	}
	return nil
}

func (l *lister) run(ctx context.Context, db querier) ([]process.Process, error) {
	query, args := l.query()
	if l.q.NoCode {
		query = strings.Replace(query, "s.code", l.shortCode(), 1)
	}
	list, err := collect(ctx, db, scanListed, query, args...)
	// The walks are in order and the join keeps it, but nothing promises that.
	slices.SortFunc(list, func(a, b process.Process) int { return cmp.Compare(b.ID, a.ID) })
	return list, err
}

func scanListed(row scanner) (p process.Process, err error) {
	err = scanProcess(row, &p)
	return p, err
}

func (l *lister) query() (string, []any) {
	walks, args := l.merged()
	return fmt.Sprintf(sqlList, walks), args
}

// merged returns the text that finds the ids of the page: of one walk, or of
// several whose results are merged.
func (l *lister) merged() (string, []any) {
	if !l.byState() {
		l.whereStates()
		return l.walk(), append(l.args, l.q.Limit)
	}
	var walks []string
	var args []any
	for _, state := range l.states() {
		for _, exit := range l.exits() {
			pair := *l
			pair.filters, pair.args = slices.Clone(l.filters), slices.Clone(l.args)
			pair.where("p.state = ? AND p.exit_state = ?", state, exit)
			walks = append(walks, "SELECT id FROM ("+pair.walk()+")")
			args = append(append(args, pair.args...), l.q.Limit)
		}
	}
	if len(walks) == 1 {
		return walks[0], args
	}
	return strings.Join(walks, " UNION ALL ") + " ORDER BY id DESC LIMIT ?", append(args, l.q.Limit)
}

// walk is the text of one walk. Its last argument is the limit.
func (l *lister) walk() string {
	where := ""
	if len(l.filters) > 0 {
		where = " WHERE " + strings.Join(l.filters, " AND ")
	}
	return "SELECT " + l.id + " AS id FROM " + l.from + where + " ORDER BY " + l.id + " DESC LIMIT ?"
}

// whereStates checks the states when the walk does not go along them.
func (l *lister) whereStates() {
	if l.someStates() {
		l.where("p.state IN (" + commas(l.states()) + ")")
	}
	if l.someExits() {
		l.where("p.exit_state IN (" + commas(l.exits()) + ")")
	}
}

func commas[T int | process.ID](numbers []T) string {
	text := make([]string, len(numbers))
	for i, n := range numbers {
		text[i] = strconv.FormatInt(int64(n), 10)
	}
	return strings.Join(text, ",")
}

// states returns the codes that match, all if there is no filter; exits does
// the same.
func (l *lister) states() (codes []int) {
	for i, s := range stateCodes {
		if l.q.HasState(s) {
			codes = append(codes, i)
		}
	}
	return codes
}

func (l *lister) exits() (codes []int) {
	for i, e := range exitCodes {
		if l.q.HasStatus(e) {
			codes = append(codes, i)
		}
	}
	return codes
}
