package measure

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
)

// grown is a family whose one curve costs what cost says.
func grown(cost func(size float64) ([]float64, error), grow func(size float64) error) (Family, *int) {
	closed := new(int)
	return Family{X: "things", Sizes: []float64{1, 10, 100, 1000, 10_000},
		Grow:  func(_ context.Context, size float64) error { return grow(size) },
		Close: func() error { *closed++; return nil },
		Curves: []Curve{{ID: "one", Limit: 0.2, Most: 50, At: func(_ context.Context, size float64) ([]float64, error) {
			return cost(size)
		}}},
	}, closed
}

func TestSlopes(t *testing.T) {
	for _, c := range []struct {
		name  string
		cost  func(float64) float64
		slope float64
		want  Verdict
	}{
		{"constant", func(float64) float64 { return 3 }, 0, Pass},
		{"falling", func(n float64) float64 { return 40 / n }, -1, Pass},
		{"linear", func(n float64) float64 { return n / 1000 }, 1, Short},
		{"linear only at the end", func(n float64) float64 { return max(5, n/250) }, math.NaN(), Short},
		{"a hill before the upper half", func(n float64) float64 { return 2 + 20*min(n, 10)/n }, math.NaN(), Pass},
		{"level, but too much", func(float64) float64 { return 51 }, 0, Short},
		{"nothing", func(float64) float64 { return 0 }, 0, Pass},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, closed := grown(func(n float64) ([]float64, error) { return []float64{c.cost(n)}, nil }, func(float64) error { return nil })
			got, err := f.Run(t.Context())
			if err != nil || len(got) != 1 || len(got[0].Points) != 5 || *closed != 1 {
				t.Fatalf("%+v, %v, closed %d times", got, err, *closed)
			}
			if got[0].Verdict != c.want || !math.IsNaN(c.slope) && math.Abs(got[0].Slope-c.slope) > 1e-9 {
				t.Errorf("%s, slope %v", got[0].Verdict, got[0].Slope)
			}
		})
	}
}

func TestPointsHaveQuartiles(t *testing.T) {
	f, _ := grown(func(float64) ([]float64, error) { return []float64{4, 0, 1, 3, 2}, nil }, func(float64) error { return nil })
	got, err := f.Run(t.Context())
	if err != nil || !slices.Equal(got[0].Points, []CurvePoint{{1, 1, 2, 3}, {10, 1, 2, 3}, {100, 1, 2, 3}, {1000, 1, 2, 3}, {10_000, 1, 2, 3}}) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestAFamilyEndsWhereItCannotGrow(t *testing.T) {
	f, closed := grown(func(float64) ([]float64, error) { return []float64{1}, nil }, func(n float64) error {
		if n > 100 {
			return Skipf("no room for %g", n)
		}
		return nil
	})
	got, err := f.Run(t.Context())
	if err != nil || len(got[0].Points) != 3 || got[0].Skipped != "no room for 1000" || got[0].Verdict != Pass || *closed != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestOneCurveEndsWithoutTheOthers(t *testing.T) {
	f, _ := grown(func(n float64) ([]float64, error) { return nil, Skipf("no way to measure it") }, func(float64) error { return nil })
	f.Curves = append(f.Curves, Curve{ID: "two", At: func(context.Context, float64) ([]float64, error) { return []float64{1}, nil }})
	got, err := f.Run(t.Context())
	if err != nil || got[0].Verdict != Skipped || len(got[1].Points) != 5 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestAnErrorEndsAFamily(t *testing.T) {
	broken := errors.New("broken")
	f, closed := grown(func(float64) ([]float64, error) { return nil, broken }, func(float64) error { return nil })
	if _, err := f.Run(t.Context()); !errors.Is(err, broken) || *closed != 1 {
		t.Errorf("%v, closed %d times", err, *closed)
	}
}
