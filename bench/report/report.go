// Package report keeps what a run of measurements found, and shows it: as a
// table for a terminal, as JSON, and as parts of the documentation.
package report

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/reeverun/reeve/bench/measure"
)

// MostMoved is how far the yardstick may move during a run, as part of itself,
// before the run is void.
const MostMoved = 0.3

// Report is one run.
type Report struct {
	Machine    Machine               `json:"machine"`
	SmallSizes bool                  `json:"short"` // its figures mean nothing
	Void       bool                  `json:"void"`  // the machine moved too much
	Moved      float64               `json:"moved"` // how far the yardstick did
	Yardstick  []float64             `json:"yardstick"`
	Rows       []measure.Result      `json:"rows"`
	Curves     []measure.CurveResult `json:"curves"`
}

// Short says whether a target was not met.
func (r *Report) Short() bool {
	for _, row := range r.Rows {
		if row.Verdict == measure.Short {
			return true
		}
	}
	for _, c := range r.Curves {
		if c.Verdict == measure.Short && c.Explained == "" {
			return true
		}
	}
	return false
}

// Read returns a run that was written before.
func Read(path string) (*Report, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &Report{}
	if err := json.Unmarshal(raw, r); err != nil {
		return nil, fmt.Errorf("%s does not hold results of a run: %w", path, err)
	}
	return r, nil
}

// Write keeps the run in a file.
func (r *Report) Write(path string) error {
	raw, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(raw, '\n'), 0o644)
}
