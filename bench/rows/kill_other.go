//go:build !linux

package rows

import (
	"context"

	"github.com/reeverun/reeve/bench/measure"
)

func killBare(context.Context, tree) (float64, error) {
	return 0, measure.Skipf("cgroups are Linux's")
}
