package measure

import (
	"context"
	"errors"
	"fmt"
)

// Run measures a row: one round to warm up, unless it is cold, then the given number of rounds, in
// each of which the subjects take turns. The order turns with the rounds, so
// that none is always measured in the wake of the same neighbour.
func (r Row) Run(ctx context.Context, rounds int) (Result, error) {
	result := Result{ID: r.ID, Title: r.Title, Unit: r.Unit, Better: r.Better}
	open := make([]Instrument, len(r.Subjects))
	defer func() {
		for _, in := range open {
			if in != nil {
				_ = in.Close() // closed below where it matters
			}
		}
	}()
	for i, s := range r.Subjects {
		result.Subjects = append(result.Subjects, SubjectResult{Name: s.Name, Role: s.Role})
		in, err := s.Open(ctx)
		if err == nil {
			open[i] = in
			if !r.Cold {
				_, err = in.Round(ctx) // warm up
			}
		}
		if reason, is := skipped(err); is {
			result.Subjects[i].Skipped = reason
			err = r.drop(open, i)
		}
		if err != nil {
			return result, fmt.Errorf("%s, %s: %w", r.ID, s.Name, err)
		}
	}
	for round := range rounds {
		for k := range open {
			i := (k + round) % len(open)
			if most := r.Subjects[i].Rounds; open[i] == nil || most > 0 && round >= most {
				continue
			}
			figure, err := open[i].Round(ctx)
			if reason, is := skipped(err); is {
				result.Subjects[i].Skipped, result.Subjects[i].Rounds = reason, nil
				if err = r.drop(open, i); err == nil {
					continue
				}
			}
			if err != nil {
				return result, fmt.Errorf("%s, %s, round %d: %w", r.ID, r.Subjects[i].Name, round+1, err)
			}
			result.Subjects[i].Rounds = append(result.Subjects[i].Rounds, figure)
		}
	}
	for i := range result.Subjects {
		s := &result.Subjects[i]
		if s.Skipped == "" {
			s.Median = Median(s.Rounds)
			if s.Median != 0 { // JSON has no word for 0/0
				s.Spread = (Quantile(s.Rounds, 0.75) - Quantile(s.Rounds, 0.25)) / s.Median
			}
			if noted, ok := open[i].(Noted); ok {
				s.Note = noted.Note()
			}
		}
	}
	result.judge(r.Targets)
	var failed []error
	for i := range open {
		if err := r.drop(open, i); err != nil {
			failed = append(failed, fmt.Errorf("%s, %s: close: %w", r.ID, r.Subjects[i].Name, err))
		}
	}
	return result, errors.Join(failed...)
}

// drop closes one subject.
func (r Row) drop(open []Instrument, i int) error {
	in := open[i]
	open[i] = nil
	if in == nil {
		return nil
	}
	return in.Close()
}
