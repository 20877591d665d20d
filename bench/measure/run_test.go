package measure

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// scripted is a subject whose figures are given, the one to warm up first.
type scripted struct {
	figures []float64
	err     error
	log     *[]string
	name    string
	closed  int
}

func (s *scripted) subject(role Role) Subject {
	return Subject{Name: s.name, Role: role, Open: func(context.Context) (Instrument, error) { return s, nil }}
}

func (s *scripted) Round(context.Context) (float64, error) {
	*s.log = append(*s.log, s.name)
	if len(s.figures) == 0 {
		return 0, s.err
	}
	f := s.figures[0]
	s.figures = s.figures[1:]
	return f, nil
}

func (s *scripted) Close() error { s.closed++; return nil }

func TestSubjectsTakeTurnsAndMediansCount(t *testing.T) {
	var log []string
	floor := &scripted{name: "floor", figures: []float64{99, 1, 2, 1.5}, log: &log}
	ours := &scripted{name: "ours", figures: []float64{99, 3, 3, 300}, log: &log}
	row := Row{ID: "row", Better: Lower, Subjects: []Subject{floor.subject(Floor), ours.subject(Reeve)}, Targets: []Target{{"ours", "floor", 2}}}
	got, err := row.Run(t.Context(), 3)
	if err != nil || got.Subjects[0].Median != 1.5 || got.Subjects[1].Median != 3 || got.Targets[0].Ratio != 2 || got.Verdict != Pass {
		t.Errorf("%+v, %v", got, err)
	}
	if want := "floor ours floor ours ours floor floor ours"; strings.Join(log, " ") != want {
		t.Errorf("turns %v, want %s", log, want)
	}
	if floor.closed != 1 || ours.closed != 1 {
		t.Errorf("closed %d and %d times", floor.closed, ours.closed)
	}
}

func TestAColdRowCountsEveryRound(t *testing.T) {
	var log []string
	ours := &scripted{name: "ours", figures: []float64{1, 2, 3}, log: &log}
	got, err := Row{ID: "row", Cold: true, Subjects: []Subject{ours.subject(Reeve)}}.Run(t.Context(), 3)
	if err != nil || !slices.Equal(got.Subjects[0].Rounds, []float64{1, 2, 3}) || len(log) != 3 {
		t.Errorf("%+v, %v, rounds %v", got, err, log)
	}
}

func TestVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		better      Better
		floor, ours []float64
		limit       float64
		want        Verdict
	}{
		"within":           {Lower, []float64{1, 1, 1}, []float64{1.3, 1.3, 1.3}, 1.3, Pass},
		"beyond":           {Lower, []float64{1, 1, 1}, []float64{1.4, 1.4, 1.4}, 1.3, Short},
		"fast enough":      {Higher, []float64{10, 10, 10}, []float64{8, 8, 8}, 0.8, Pass},
		"too slow":         {Higher, []float64{10, 10, 10}, []float64{7, 7, 7}, 0.8, Short},
		"a floor that ran": {Lower, []float64{1, 2, 3}, []float64{1, 1, 1}, 1.3, Void},
		"a floor of none":  {Lower, []float64{0, 0, 0}, []float64{1, 1, 1}, 1.3, Skipped},
	} {
		var log []string
		floor := &scripted{name: "floor", figures: slices.Insert(c.floor, 0, 1), log: &log}
		ours := &scripted{name: "ours", figures: slices.Insert(c.ours, 0, 1), log: &log}
		row := Row{Better: c.better, Subjects: []Subject{floor.subject(Floor), ours.subject(Reeve)}, Targets: []Target{{"ours", "floor", c.limit}}}
		if got, err := row.Run(t.Context(), 3); err != nil || got.Verdict != c.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestAFigureOfItsOwnNeedsNoFloor(t *testing.T) {
	r := Result{Better: Lower, Subjects: []SubjectResult{{Name: "ours", Median: 500}, {Name: "slow", Median: 501}}}
	r.judge([]Target{{"ours", "", 500}})
	if r.Verdict != Pass {
		t.Errorf("%+v", r)
	}
	r.judge([]Target{{"slow", "", 500}})
	if r.Verdict != Short {
		t.Errorf("%+v", r)
	}
}

func TestWhatCannotBeHadIsSkipped(t *testing.T) {
	var log []string
	ours := &scripted{name: "ours", figures: []float64{1, 1, 1}, log: &log}
	row := Row{Subjects: []Subject{
		{Name: "peer", Role: Peer, Open: func(context.Context) (Instrument, error) { return nil, Skipf("not for %s", "sale") }},
		ours.subject(Reeve),
	}, Targets: []Target{{"ours", "peer", 1}}}
	got, err := row.Run(t.Context(), 2)
	if err != nil || got.Subjects[0].Skipped != "not for sale" || got.Verdict != Skipped || len(got.Subjects[1].Rounds) != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	if got := row.Without(Peer); len(got.Subjects) != 1 || len(row.Subjects) != 2 {
		t.Errorf("%+v of %+v", got, row)
	}
}

func TestAnErrorClosesAll(t *testing.T) {
	var log []string
	broken := errors.New("broken")
	floor := &scripted{name: "floor", figures: []float64{1, 1, 1}, log: &log}
	ours := &scripted{name: "ours", figures: []float64{1}, err: broken, log: &log}
	row := Row{ID: "row", Subjects: []Subject{floor.subject(Floor), ours.subject(Reeve)}}
	_, err := row.Run(t.Context(), 2)
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "row, ours, round 1") || floor.closed != 1 || ours.closed != 1 {
		t.Errorf("%v, closed %d and %d times", err, floor.closed, ours.closed)
	}
}

func TestQuantiles(t *testing.T) {
	figures := []float64{4, 1, 3, 2}
	for q, want := range map[float64]float64{0: 1, 0.25: 1.75, 0.5: 2.5, 1: 4} {
		if got := Quantile(figures, q); got != want {
			t.Errorf("%g of %v: %g, want %g", q, figures, got, want)
		}
	}
}
