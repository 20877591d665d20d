package interpret

import (
	"regexp"
	"strconv"
	"strings"
)

var sizeForm = regexp.MustCompile(`^([0-9][0-9,_]*(?:\.[0-9]+)?)\s*([A-Za-z]*)$`)

// parseSize reads "12.34 MB", "5KiB", "1,234" or "10". A size without a unit
// takes the one given.
func parseSize(s, unit string) (bytes float64, ok bool) {
	m := sizeForm.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return 0, false
	}
	v, err := strconv.ParseFloat(strings.NewReplacer(",", "", "_", "").Replace(m[1]), 64)
	if err != nil {
		return 0, false
	}
	if m[2] != "" {
		unit = m[2]
	}
	f, ok := unitFactor(unit)
	return v * f, ok
}

// unitOf returns the unit a size is written in.
func unitOf(s string) string {
	if m := sizeForm.FindStringSubmatch(strings.TrimSpace(s)); m != nil {
		return m[2]
	}
	return ""
}

// unitFactor knows B, bytes, and k M G T P with B (decimal) or iB (binary).
func unitFactor(unit string) (float64, bool) {
	u := strings.ToLower(unit)
	switch u {
	case "", "b", "byte", "bytes":
		return 1, true
	}
	power := strings.IndexByte("kmgtp", u[0]) + 1
	if power == 0 {
		return 0, false
	}
	var base float64
	switch u[1:] {
	case "", "b":
		base = 1000
	case "ib":
		base = 1024
	default:
		return 0, false
	}
	f := 1.0
	for range power {
		f *= base
	}
	return f, true
}
