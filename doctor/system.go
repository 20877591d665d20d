package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// written is when this was written: a clock that reads less was never set.
var written = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

// clockNotSet is the verdict on a clock that cannot be right, else nil.
func clockNotSet(c Check) *Check {
	now := time.Now()
	if now.After(written) {
		return nil
	}
	c = c.missing("Times in records will be wrong.", "the clock says "+now.UTC().Format(time.RFC3339), "Set the clock.")
	return &c
}

// existing returns a path, or the nearest folder above it that exists. One that
// may not be looked at counts as existing.
func existing(path string) string {
	for {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return path
		}
		up := filepath.Dir(path)
		if up == path {
			return path
		}
		path = up
	}
}
