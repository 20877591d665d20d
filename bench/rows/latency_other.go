//go:build !linux

package rows

import (
	"context"

	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
)

func noticedAfter(context.Context, *lab.Lab, int) (float64, error) {
	return 0, measure.Skipf("inotify is Linux's")
}
