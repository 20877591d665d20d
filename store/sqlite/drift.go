package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"math"
)

const (
	sqlIDRange = `SELECT coalesce((SELECT min(id) FROM processes), 1), coalesce((SELECT max(id) FROM processes), 0),
		created_skew FROM marks`
	sqlIDTime = `SELECT id, created_at FROM processes WHERE id >= ? ORDER BY id LIMIT 1`
)

// drift says how far a clock ran against the order of ids or cursors: whatever
// was stored after something of a time t has a time of at least t - skew.
type drift struct {
	high int64 // the latest time seen
	skew int64 // how far a later one lay behind it
}

func (d *drift) see(t int64) {
	if t >= d.high {
		d.high = t
		return
	}
	d.skew = max(d.skew, minus(d.high, t))
}

// plus and minus stop at the ends of the numbers.
func plus(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func minus(a, b int64) int64 {
	switch {
	case b > 0 && a < math.MinInt64+b:
		return math.MinInt64
	case b < 0 && a > math.MaxInt64+b:
		return math.MaxInt64
	}
	return a - b
}

// timeline is a table whose keys are in order and whose times are so up to a
// skew (see drift).
type timeline struct {
	first, last int64 // keys
	skew        int64
	at          func(key int64) (found, time int64, err error) // of the first key from there on
}

// search returns the key at which the times pass t, in as many steps as the
// number of keys has bits. Every key before it has a time of less than
// t + skew, every key from it on a time of at least t - skew.
func (tl *timeline) search(t int64) (int64, error) {
	low, high := tl.first, tl.last+1
	for low < high {
		mid := low + (high-low)/2
		key, at, err := tl.at(mid)
		if err != nil {
			return 0, err
		}
		if at >= t {
			high = mid // there is no key between mid and key
		} else {
			low = key + 1
		}
	}
	return low, nil
}

// idBounds is the timeline of processes by their creation.
func idBounds(ctx context.Context, tx *sql.Tx) (*timeline, error) {
	tl := &timeline{}
	if err := tx.QueryRowContext(ctx, sqlIDRange).Scan(&tl.first, &tl.last, &tl.skew); err != nil {
		return nil, err
	}
	probe, err := tx.PrepareContext(ctx, sqlIDTime)
	if err != nil {
		return nil, err
	}
	tl.at = func(id int64) (key, at int64, err error) {
		err = probe.QueryRowContext(ctx, id).Scan(&key, &at)
		if errors.Is(err, sql.ErrNoRows) {
			return id, never, nil
		}
		return key, at, err
	}
	return tl, nil
}
