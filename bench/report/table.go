package report

import (
	"fmt"
	"io"
)

// Table prints the run for a terminal of 120 columns.
func Table(w io.Writer, r *Report) error {
	for _, row := range r.Rows {
		for _, s := range row.Subjects {
			if _, err := fmt.Fprintf(w, "%-20s %-30s %10.3f %s\n", row.ID, s.Name, s.Median, row.Unit); err != nil {
				return err
			}
		}
	}
	return nil
}
