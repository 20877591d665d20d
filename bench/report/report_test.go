package report

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/reeverun/reeve/bench/measure"
)

// sample has a row with everything: floor, targets, a peer, one that is missing.
func sample() *Report {
	long := strings.Repeat("a long name ", 20)
	return &Report{
		Machine: Machine{CPU: long, Cores: 2, Kernel: "Linux 6.18", Go: "go1.26", Commit: "abc1234", Date: time.Date(2026, 11, 15, 22, 0, 0, 0, time.UTC), Load: "0.1 0.2 0.3"},
		Void:    true, Moved: 0.4, Yardstick: []float64{1, 1.4},
		Rows: []measure.Result{
			{ID: "spawn-wait", Title: "spawn and wait of true", Unit: "ms", Better: measure.Lower, Verdict: measure.Short,
				Subjects: []measure.SubjectResult{
					{Name: "os/exec", Role: measure.Floor, Median: 1, Spread: 0.05, Rounds: []float64{1}},
					{Name: "in memory", Role: measure.Reeve, Median: 1.4, Rounds: []float64{1.4}},
					{Name: "durable", Role: measure.Reeve, Median: 2, Rounds: []float64{2}},
					{Name: "another", Role: measure.Peer, Median: 7, Rounds: []float64{7}, Note: "keeps nothing"},
					{Name: "a third", Role: measure.Peer, Skipped: "not for sale\nby anyone " + long},
				},
				Targets: []measure.TargetResult{
					{Target: measure.Target{Subject: "in memory", Of: "os/exec", Limit: 1.3}, Ratio: 1.4, Verdict: measure.Short},
					{Target: measure.Target{Subject: "in memory", Of: "another", Limit: 0.6}, Ratio: 0.2, Verdict: measure.Pass},
				}},
			{ID: "restart", Title: long, Unit: "ms", Better: measure.Lower, Verdict: measure.Pass,
				Subjects: []measure.SubjectResult{{Name: "restart", Role: measure.Reeve, Median: 321, Rounds: []float64{321}}},
				Targets:  []measure.TargetResult{{Target: measure.Target{Subject: "restart", Limit: 500}, Ratio: 321, Verdict: measure.Pass}}},
		},
		Curves: []measure.CurveResult{
			{ID: "list", Title: "a list", X: "records", Unit: "ms", Points: []measure.CurvePoint{{Size: 1000, Median: 1}, {Size: 1e6, Median: 1.1}}, Slope: 0.01, Limit: 0.1, Verdict: measure.Pass},
			{ID: "more", Title: "more", X: "records", Skipped: "no room " + long, Verdict: measure.Skipped},
		},
	}
}

func TestTheTableFitsAndSaysItAll(t *testing.T) {
	var b bytes.Buffer
	if err := Table(&b, sample()); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, want := range []string{
		"VOID: a bare spawn and sync moved by 40 %", "±5 %", "1.4 × floor", "≤ 1.3 × os/exec", "0.2 ≤ 0.6 × another", "keeps nothing",
		"skipped: not for sale\n", "≤ 500 ms", "1 ms at 1000 … 1.1 ms at 1 M records", "2 pass, 1 short, 1 skipped",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, b.String())
		}
	}
}

func TestAShortRunSaysSo(t *testing.T) {
	var b bytes.Buffer
	if err := Table(&b, &Report{SmallSizes: true}); err != nil || !strings.Contains(b.String(), "figures mean nothing") {
		t.Errorf("%v: %s", err, b.String())
	}
	if _, err := Docs(t.TempDir(), &Report{SmallSizes: true}); err == nil {
		t.Error("a short run went into the documentation")
	}
}

func TestRunsAreKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.json")
	if err := sample().Write(file); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(file); err != nil || !reflect.DeepEqual(got, sample()) {
		t.Errorf("%+v, %v", got, err)
	}
	if !sample().Short() || (&Report{}).Short() {
		t.Error("what falls short is not known")
	}
}

func TestDocsAreFilledBetweenTheirMarkers(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	readme := write("README.md", "before\n<!-- bench:table -->\nold\n<!-- /bench:table -->\nafter\n")
	write("docs/other.md", "nothing to fill\n")
	page := write("docs/page.md", "<!-- bench:peers --><!-- /bench:peers -->\n<!-- bench:growth -->\n<!-- /bench:growth -->\n")
	changed, err := Docs(root, sample())
	if err != nil || !reflect.DeepEqual(changed, []string{readme, page}) {
		t.Fatalf("changed %v, %v", changed, err)
	}
	for path, wants := range map[string][]string{
		readme: {"before\n<!-- bench:table -->\n", "| spawn and wait of true | os/exec: 1 ms | in memory: 1.4 ms | 1.4 × | ≤ 1.3 × | short |",
			"|  | another: 7 ms | in memory: 1.4 ms | 0.2 × | ≤ 0.6 × | pass |", "| ≤ 500 ms | pass |", "on 15 November 2026", "<!-- /bench:table -->\nafter\n"},
		page: {"**Reeve**, in memory", "another (keeps nothing) | 7 ms | 5 ×", "not measured: not for sale |", "(images/bench-growth-list.svg)"},
	} {
		raw, _ := os.ReadFile(path)
		for _, want := range wants {
			if !strings.Contains(string(raw), want) {
				t.Errorf("%s lacks %q:\n%s", path, want, raw)
			}
		}
		if strings.Contains(string(raw), "old") {
			t.Errorf("%s has what was there before", path)
		}
	}
	if changed, err := Docs(root, sample()); err != nil || len(changed) > 0 {
		t.Errorf("a second time %v changed, %v", changed, err)
	}
	write("README.md", "<!-- bench:table -->\n")
	if _, err := Docs(root, sample()); err == nil || !strings.Contains(err.Error(), "is not followed by") {
		t.Errorf("a marker without its end: %v", err)
	}
}
