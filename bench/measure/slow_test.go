package measure

import (
	"context"
	"testing"
)

// noted is an instrument that fails in a round, the warm-up being the first.
type noted struct {
	rounds, fails int
	closed        bool
}

func (n *noted) Round(context.Context) (float64, error) {
	if n.rounds++; n.rounds == n.fails {
		return 0, Skipf("out of breath")
	}
	return float64(n.rounds), nil
}

func (n *noted) Close() error { n.closed = true; return nil }
func (n *noted) Note() string { return "keeps nothing" }

func runNoted(t *testing.T, n *noted, most int) SubjectResult {
	t.Helper()
	r := Row{Subjects: []Subject{
		{Name: "floor", Role: Floor, Open: func(context.Context) (Instrument, error) { return &noted{}, nil }},
		{Name: "peer", Role: Peer, Rounds: most, Open: func(context.Context) (Instrument, error) { return n, nil }},
	}}
	got, err := r.Run(t.Context(), 5)
	if err != nil || len(got.Subjects[0].Rounds) != 5 || !n.closed {
		t.Fatalf("%+v, closed %t: %v", got, n.closed, err)
	}
	return got.Subjects[1]
}

func TestSlowOnesTakePartInFewRounds(t *testing.T) {
	got := runNoted(t, &noted{}, 2)
	if len(got.Rounds) != 2 || got.Median != 2.5 || got.Note != "keeps nothing" {
		t.Errorf("%+v", got)
	}
}

func TestWhatFailsInARoundIsSkipped(t *testing.T) {
	n := &noted{fails: 3}
	if got := runNoted(t, n, 0); got.Skipped != "out of breath" || got.Rounds != nil || n.rounds != 3 {
		t.Errorf("%+v after %d rounds", got, n.rounds)
	}
}
