package settings

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// parseCount reads a number of things; none is 0, no limit.
func parseCount(v string) (int, error) {
	if v == None {
		return 0, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is not a number of processes: write 1 or more, or none", v)
	}
	return n, nil
}

// ParseDuration reads Go's durations, and days ("30d").
func ParseDuration(v string) (time.Duration, error) {
	d, err := time.ParseDuration(v)
	if days, ok := strings.CutSuffix(v, "d"); ok {
		var n float64
		n, err = strconv.ParseFloat(days, 64)
		ns := n * float64(24*time.Hour)
		if err == nil && !(ns < math.MaxInt64) { // NaN too
			err = strconv.ErrRange
		}
		d = time.Duration(ns)
	}
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not a duration: write one such as 500ms, 30s, 5m, 2h or 30d", v)
	}
	return d, nil
}

// units are those of sizes. One letter counts as the binary unit.
func units() map[string]int64 {
	return map[string]int64{
		"": 1, "b": 1,
		"k": 1 << 10, "kib": 1 << 10, "kb": 1e3,
		"m": 1 << 20, "mib": 1 << 20, "mb": 1e6,
		"g": 1 << 30, "gib": 1 << 30, "gb": 1e9,
		"t": 1 << 40, "tib": 1 << 40, "tb": 1e12,
	}
}

// ParseSize reads a positive number of bytes: 64KiB, 1GiB, 1000.
func ParseSize(v string) (int64, error) {
	bad := fmt.Errorf("%q is not a size: write bytes, or a number with a unit such as 64KiB, 32MiB or 1GiB", v)
	digits := len(v) - len(strings.TrimLeft(v, "0123456789."))
	n, err := strconv.ParseFloat(v[:digits], 64)
	unit, known := units()[strings.ToLower(strings.TrimSpace(v[digits:]))]
	bytes := n * float64(unit)
	if err != nil || !known || bytes < 1 || bytes >= math.MaxInt64 {
		return 0, bad
	}
	return int64(bytes), nil
}
