//go:build !unix

package keepertest

import (
	"errors"
	"os"
)

// drain is not reached: see Run.
func drain(*os.File) error { return errors.ErrUnsupported }
