package measure

import (
	"math"
	"slices"
)

// Verdict is what became of a row or of one of its targets.
type Verdict string

const (
	Pass    Verdict = "pass"
	Short   Verdict = "short"
	Void    Verdict = "void"    // the baseline moved too much
	Skipped Verdict = "skipped" // what is compared could not be measured here
	Figure  Verdict = "figure"  // nothing is asked of it
	Failed  Verdict = "failed"  // it could not be measured to the end
)

// Result is a row as it was measured.
type Result struct {
	ID       string          `json:"id"`
	Title    string          `json:"title"`
	Unit     string          `json:"unit"`
	Better   Better          `json:"better"`
	Subjects []SubjectResult `json:"subjects"`
	Targets  []TargetResult  `json:"targets"`
	Verdict  Verdict         `json:"verdict"` // the worst of the targets
	Failed   string          `json:"failed,omitempty"`
}

// SubjectResult is what one subject did, round by round.
type SubjectResult struct {
	Name    string    `json:"name"`
	Role    Role      `json:"role"`
	Median  float64   `json:"median"`
	Spread  float64   `json:"spread"` // between the quartiles, as part of the median
	Rounds  []float64 `json:"rounds"`
	Skipped string    `json:"skipped,omitempty"` // why it has no figures
	Note    string    `json:"note,omitempty"`    // what is to be known of them
}

// TargetResult is how a target was met.
type TargetResult struct {
	Target
	Ratio   float64 `json:"ratio"` // or the figure itself, where Of is empty
	Verdict Verdict `json:"verdict"`
}

// Subject returns what the named subject did.
func (r Result) Subject(name string) (SubjectResult, bool) {
	i := slices.IndexFunc(r.Subjects, func(s SubjectResult) bool { return s.Name == name })
	if i < 0 {
		return SubjectResult{}, false
	}
	return r.Subjects[i], true
}

// Floor returns what the machine did, where it was measured.
func (r Result) Floor() (SubjectResult, bool) {
	i := slices.IndexFunc(r.Subjects, func(s SubjectResult) bool { return s.Role == Floor && len(s.Rounds) > 0 })
	if i < 0 {
		return SubjectResult{}, false
	}
	return r.Subjects[i], true
}

// MaxSpread is how far a baseline's quartiles may lie apart, as part of its
// median, before the row is void: a machine that moves so much between two
// rounds says nothing about a target.
const MaxSpread = 0.35

func (r *Result) judge(targets []Target) {
	r.Verdict = Figure
	for _, t := range targets {
		judged := r.judgeOne(t)
		r.Targets = append(r.Targets, judged)
		if worse(judged.Verdict, r.Verdict) {
			r.Verdict = judged.Verdict
		}
	}
}

func (r *Result) judgeOne(t Target) TargetResult {
	out := TargetResult{Target: t, Verdict: Skipped}
	ours, ok := r.Subject(t.Subject)
	if !ok || ours.Skipped != "" {
		return out
	}
	out.Ratio = ours.Median
	steady := true
	if t.Of != "" {
		base, ok := r.Subject(t.Of)
		if !ok || base.Skipped != "" || base.Median == 0 {
			return out
		}
		out.Ratio /= base.Median
		steady = base.Spread <= MaxSpread
	}
	switch met := r.meets(out.Ratio, t.Limit); {
	case !steady:
		out.Verdict = Void
	case met:
		out.Verdict = Pass
	default:
		out.Verdict = Short
	}
	return out
}

func (r *Result) meets(figure, limit float64) bool {
	if r.Better == Higher {
		return figure >= limit
	}
	return figure <= limit
}

func worse(a, b Verdict) bool {
	order := []Verdict{Figure, Pass, Skipped, Void, Short, Failed}
	return slices.Index(order, a) > slices.Index(order, b)
}

// Quantile returns the q-quantile of figures, between neighbours by weight.
func Quantile(figures []float64, q float64) float64 {
	if len(figures) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(figures))
	at := q * float64(len(sorted)-1)
	low := int(at)
	if low+1 == len(sorted) {
		return sorted[low]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}

// Median is the 0.5-quantile.
func Median(figures []float64) float64 { return Quantile(figures, 0.5) }
