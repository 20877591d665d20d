package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reeverun/reeve/bench/measure"
)

func aRow() measure.Result {
	return measure.Result{ID: "spawn", Title: "spawn & wait", Unit: "ms", Better: measure.Lower, Verdict: measure.Pass,
		Subjects: []measure.SubjectResult{{Name: "os/exec", Role: measure.Floor, Median: 1}, {Name: "durable", Role: measure.Reeve, Median: 1.25},
			{Name: "<slow>", Role: measure.Peer, Median: 470}, {Name: "absent", Role: measure.Peer, Skipped: "not installed"}},
		Targets: []measure.TargetResult{{Target: measure.Target{Subject: "durable", Of: "os/exec", Limit: 1.3}, Ratio: 1.25, Verdict: measure.Pass}}}
}

func aCurve(id string) measure.CurveResult {
	return measure.CurveResult{ID: id, Title: "list of the newest", X: "records", Unit: "ms", Limit: 0.15, Slope: 0.01, Verdict: measure.Pass,
		Points: []measure.CurvePoint{{Size: 1000, Low: 0, Median: 0, High: 1}, {Size: 10_000, Low: 0.4, Median: 0.5, High: 0.7}, {Size: 1e6, Low: 0.5, Median: 0.52, High: 0.6}}}
}

// wellFormed reads a picture and returns all that it says.
func wellFormed(t *testing.T, picture []byte) string {
	t.Helper()
	var words strings.Builder
	d := xml.NewDecoder(bytes.NewReader(picture))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return words.String()
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, picture)
		}
		if text, is := token.(xml.CharData); is {
			words.Write(text)
			words.WriteByte(' ')
		}
	}
}

func TestPicturesSayWhatTheyShow(t *testing.T) {
	skipped := measure.CurveResult{ID: "records-none", Title: "nothing", X: "records", Verdict: measure.Skipped, Skipped: "no room"}
	for name, c := range map[string]struct {
		draw func(io.Writer) error
		want []string
	}{
		"targets": {func(w io.Writer) error { return Targets(w, []measure.Result{aRow()}) }, []string{"spawn & wait: durable", "1.25 × os/exec (≤ 1.3)"}},
		"peers":   {func(w io.Writer) error { return Peers(w, []measure.Result{aRow()}) }, []string{"<slow>", "470 ms", "Reeve, durable"}},
		"growth": {func(w io.Writer) error { return Growth(w, []measure.CurveResult{aCurve("records-list"), skipped}) },
			[]string{"Cost against records", "0.5 ms at 10 k, 0.52 at 1 M, slope 0.01", "not measured: no room"}},
	} {
		t.Run(name, func(t *testing.T) {
			var first, again bytes.Buffer
			if err := errors.Join(c.draw(&first), c.draw(&again)); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(first.Bytes(), again.Bytes()) {
				t.Error("the same results gave two pictures")
			}
			words := wellFormed(t, first.Bytes())
			for _, want := range c.want {
				if !strings.Contains(words, want) {
					t.Errorf("nothing says %q:\n%s", want, words)
				}
			}
			if strings.Contains(words, "absent") || strings.Contains(first.String(), "NaN") || strings.Contains(first.String(), "Inf") {
				t.Errorf("it shows what was not measured:\n%s", first.String())
			}
		})
	}
}

func TestPicturesGoIntoAFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	others := aCurve("live-list")
	others.X = "live processes"
	if err := Write(dir, []measure.Result{aRow()}, []measure.CurveResult{aCurve("records-list"), aCurve("records-get"), others}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bench-targets.svg", "bench-peers.svg", "bench-growth-records.svg", "bench-growth-live.svg"} {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		wellFormed(t, raw)
	}
}

func TestNothingIsNotDrawn(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, nil, nil); err != nil {
		t.Fatal(err)
	}
	if files, _ := os.ReadDir(dir); len(files) > 0 {
		t.Errorf("%v", files)
	}
}

func TestFigures(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 1: "1", 0.0123456: "0.0123", 12.345: "12.3", 470: "470", 1234: "1234", 9999: "10 k", 12345: "12.3 k", 1e6: "1 M", 0.5: "0.5", 100_000: "100 k"} {
		if got := Figure(v); got != want {
			t.Errorf("%v is written %q, want %q", v, got, want)
		}
	}
}

func TestAxesHoldTheirFigures(t *testing.T) {
	for _, c := range [][2]float64{{1, 1}, {0.3, 0.31}, {1, 1000}, {0.99, 1.01}, {10, 10}, {5, 4000}} {
		a := logAxis(c[0], c[1], 2)
		if a.high-a.low < 2 || a.part(c[0]) < 0 || a.part(c[1]) > 1 {
			t.Errorf("%v: %+v", c, a)
		}
	}
}
