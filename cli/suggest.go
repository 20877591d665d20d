package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError makes a mistake in the flags a usage error and suggests what may
// have been meant.
func flagError(cmd *cobra.Command, err error) error {
	_, name, unknown := strings.Cut(err.Error(), "unknown flag: --")
	if !unknown {
		return usageError{err}
	}
	best, distance := "", 3 // more than two letters off is another word
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if d := letters(name, f.Name); d < distance && !f.Hidden {
			best, distance = f.Name, d
		}
	})
	if best == "" {
		return usageError{err}
	}
	return usageError{fmt.Errorf("%w: did you mean --%s?", err, best)}
}

// letters is how many letters have to be changed, added or left out to make one
// word the other (Levenshtein's distance).
func letters(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
